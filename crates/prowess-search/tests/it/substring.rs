//! The plain filter over names and tags.

use prowess_search::Substring;
use prowess_testkit::memory_catalog;

use crate::ids;

#[test]
fn part_of_a_name_or_tag_is_enough() {
    let catalog = memory_catalog([
        ("sheets", "Makes tables of pdf files.", &["excel", "office"][..]),
        ("pdf-forms", "Fills forms.", &["Acrobat"]),
        ("pdf-merge", "Joins files.", &[]),
    ]);
    for (query, expected) in [
        ("pdf", "pdf-forms pdf-merge"),
        ("DF-M", "pdf-merge"),
        ("xce", "sheets"),
        ("acro", "pdf-forms"),
        ("", "pdf-forms pdf-merge sheets"),
        ("  ", "pdf-forms pdf-merge sheets"),
        // Descriptions and several tags do not count.
        ("tables", ""),
        ("excel office", ""),
    ] {
        assert_eq!(ids(&Substring, &catalog, query).join(" "), expected, "{query:?}");
    }
}
