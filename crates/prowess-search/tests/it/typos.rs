//! Words that no skill has, and the words that were perhaps meant.

use crate::quality::parts;
use crate::{catalog, found};

#[test]
fn unknown_word_finds_near_ones() {
    let catalog = catalog(&[
        ("kubernetes", "Ships services."),
        ("pdf", "Fills forms."),
        ("postgres", "Asks tables."),
        ("translation", "Says it in another language."),
        ("gpt4", "Asks a model."),
    ]);
    for line in include_str!("../data/typos.txt").lines() {
        let [reason, query, expected] = parts(line);
        assert_eq!(found(&catalog, query).join(" "), expected, "{reason}: `{query}`");
    }
}

#[test]
fn better_match_wins() {
    for (reason, skills, query, expected) in [
        (
            "a known word has no neighbours",
            [("form", "Fills."), ("farm", "Grows.")],
            "farm",
            "farm",
        ),
        (
            "a typed word before a near one",
            [("a-tables", "Asks."), ("forms", "Fills.")],
            "tabels forms",
            "forms a-tables",
        ),
        ("the nearest", [("contrast", "Reads."), ("contract", "Signs.")], "contarct", "contract"),
        (
            "a typo before a beginning",
            [("contract", "Signs."), ("contradictions", "Finds.")],
            "contrac",
            "contract",
        ),
    ] {
        assert_eq!(found(&catalog(&skills), query).join(" "), expected, "{reason}");
    }
}
