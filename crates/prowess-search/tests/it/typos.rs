//! Words that no skill has, and the words that were perhaps meant.

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
    for (reason, query, expected) in [
        ("a missing letter", "kubernets", "kubernetes"),
        ("a wrong letter", "kubernetas", "kubernetes"),
        ("a doubled letter", "postgress", "postgres"),
        ("swapped letters", "pfd", "pdf"),
        ("a missing first letter", "ubernetes", "kubernetes"),
        ("two wrong letters of a long word", "trenslatoin", "translation"),
        ("two wrong letters of a long word", "kobernettes", "kubernetes"),
        ("a word of a description", "langauge", "translation"),
        ("too far", "kangaroo", ""),
        ("too far", "pqr", ""),
        ("too far", "pf", ""),
        ("another number", "gpt5", ""),
        ("a beginning", "kube", "kubernetes"),
        ("a beginning", "transl", "translation"),
        ("too short a beginning", "kub", ""),
    ] {
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
