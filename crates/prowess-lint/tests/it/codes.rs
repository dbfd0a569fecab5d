//! Every code is explained, and the page is up to date.

use prowess_lint::codes;

#[test]
fn every_code_is_explained_by_a_package_that_gives_it() {
    for code in codes::ALL.iter().map(|entry| &entry.code) {
        let explanation = codes::explain(code).expect("each code has an example");
        assert!(explanation.meaning.ends_with('.'), "`{code}` is explained in a sentence");
        let fails = [codes::LISTING_FAILED, codes::PACKAGE_PATH_INVALID].contains(code);
        let found = explanation.diagnostic.map(|found| (found.code, found.help.is_empty()));
        let expected = (!fails).then(|| (code.clone(), false));
        assert_eq!(found, expected, "the example of `{code}` gives it, with its help");
    }
}

/// The rest of the page is about catalogs; `cargo xtask codes` writes it all.
#[test]
fn the_page_of_codes_begins_with_those_of_skills_and_packages() {
    let page = include_str!("../../../../DIAGNOSTICS.md");
    assert!(page.starts_with(&codes::page()), "`cargo xtask codes` was run since the last change");
}
