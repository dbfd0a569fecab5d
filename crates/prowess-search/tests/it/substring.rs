//! The plain filter over names and tags.

use prowess_search::Substring;
use prowess_testkit::memory_catalog;

use crate::ids;

#[track_caller]
fn check(query: &str, expected: &[&str]) {
    let catalog = memory_catalog([
        ("sheets", "Makes tables of pdf files.", &["excel", "office"][..]),
        ("pdf-forms", "Fills forms.", &["Acrobat"]),
        ("pdf-merge", "Joins files.", &[]),
    ]);
    assert_eq!(ids(&Substring, &catalog, query), expected, "{query:?}");
}

#[test]
fn a_part_of_a_name_or_tag_is_enough() {
    check("pdf", &["pdf-forms", "pdf-merge"]);
    check("DF-M", &["pdf-merge"]);
    check("xce", &["sheets"]);
    check("acro", &["pdf-forms"]);
}

#[test]
fn a_blank_query_gives_all() {
    check("", &["pdf-forms", "pdf-merge", "sheets"]);
    check("  ", &["pdf-forms", "pdf-merge", "sheets"]);
}

#[test]
fn descriptions_and_other_tags_do_not_count() {
    check("tables", &[]);
    check("excel office", &[]);
}
