//! Words that no skill has, and the words that were perhaps meant.

use prowess_testkit::rows;

use crate::{catalog, found};

const TYPOS: &str = include_str!("../data/typos.txt");

#[test]
fn unknown_word_finds_near_ones() {
    let catalog = catalog(&[
        ("kubernetes", "Ships services."),
        ("pdf", "Fills forms."),
        ("postgres", "Asks tables."),
        ("translation", "Says it in another language."),
        ("gpt4", "Asks a model."),
    ]);
    for [reason, query, expected] in rows(TYPOS, "") {
        assert_eq!(found(&catalog, &query).join(" "), expected, "{reason}: `{query}`");
    }
}

#[test]
fn better_match_wins() {
    for [reason, one, text, other, words, query, expected] in
        rows(TYPOS, "two skills, a query, and what is found")
    {
        let skills = [(&*one, &*text), (&*other, &*words)];
        assert_eq!(found(&catalog(&skills), &query).join(" "), expected, "{reason}");
    }
}
