//! Words that no skill has, and what they were perhaps meant as.

use crate::{catalog, found};

#[track_caller]
fn check(query: &str, expected: &[&str]) {
    let catalog = catalog(&[
        ("kubernetes", "Ships services."),
        ("pdf", "Fills forms."),
        ("postgres", "Asks tables."),
        ("translation", "Says it in another language."),
        ("gpt4", "Asks a model."),
    ]);
    assert_eq!(found(&catalog, query), expected, "{query:?}");
}

#[test]
fn a_letter_may_be_missing_wrong_doubled_or_swapped() {
    check("kubernets", &["kubernetes"]);
    check("kubernetas", &["kubernetes"]);
    check("postgress", &["postgres"]);
    check("pfd", &["pdf"]);
    check("ubernetes", &["kubernetes"]);
}

#[test]
fn two_letters_of_a_long_word_may_be_wrong() {
    check("trenslatoin", &["translation"]);
    check("kobernettes", &["kubernetes"]);
}

#[test]
fn words_of_a_description_are_meant_too() {
    check("langauge", &["translation"]);
}

#[test]
fn what_is_too_far_is_not_meant() {
    check("kangaroo", &[]);
    check("pqr", &[]);
    check("pf", &[]);
}

#[test]
fn a_number_is_never_another_number() {
    check("gpt5", &[]);
}

#[test]
fn a_known_word_has_no_neighbours() {
    let catalog = catalog(&[("form", "Fills."), ("farm", "Grows.")]);
    assert_eq!(found(&catalog, "farm"), ["farm"]);
}

#[test]
fn what_was_typed_outweighs_what_was_perhaps_meant() {
    let catalog = catalog(&[("a-tables", "Asks."), ("forms", "Fills.")]);
    assert_eq!(found(&catalog, "tabels forms"), ["forms", "a-tables"]);
}

#[test]
fn the_nearest_is_meant() {
    let catalog = catalog(&[("contrast", "Reads."), ("contract", "Signs.")]);
    assert_eq!(found(&catalog, "contarct"), ["contract"]);
}

#[test]
fn the_beginning_of_a_word_is_enough() {
    check("kube", &["kubernetes"]);
    check("transl", &["translation"]);
    check("kub", &[]);
}

#[test]
fn a_typo_is_meant_rather_than_a_beginning() {
    let catalog = catalog(&[("contract", "Signs."), ("contradictions", "Finds.")]);
    assert_eq!(found(&catalog, "contrac"), ["contract"]);
}
