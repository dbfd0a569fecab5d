//! Every code is explained, and the page is up to date.

use prowess_lint::codes;

#[test]
fn every_code_is_explained_by_a_package_that_gives_it() {
    for code in codes::ALL {
        let explanation = codes::explain(code).expect("each code has an example");
        assert!(explanation.meaning.ends_with('.'), "`{code}` is explained in a sentence");
        let fails = [codes::LISTING_FAILED, codes::PACKAGE_PATH_INVALID].contains(code);
        let found = explanation.diagnostic.map(|found| (found.code, found.help.is_empty()));
        let expected = (!fails).then(|| (code.clone(), false));
        assert_eq!(found, expected, "the example of `{code}` gives it, with its help");
    }
}

#[test]
fn the_page_of_codes_is_up_to_date() {
    // `cargo xtask codes` writes it.
    expect_test::expect_file!["../../../../DIAGNOSTICS.md"].assert_eq(&codes::page());
}
