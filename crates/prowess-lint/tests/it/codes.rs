//! Every code is explained, and the page is up to date.

use prowess_format::Profile;
use prowess_lint::codes;

use crate::fixture::{self, BODY, checked, memory};

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
fn page_of_codes_begins_with_skills_and_packages() {
    let page = include_str!("../../../prowess-cli/DIAGNOSTICS.md");
    assert!(page.starts_with(&codes::page()), "`cargo xtask codes` was run since the last change");
}

/// The items of an author's checklist, each with what breaks it and the code for that. The tenth is
/// that there is a `SKILL.md`: here, a directory without one is no package, and programs report it
/// as `skill-md-missing`.
#[test]
fn each_checklist_item_has_its_code() {
    let fields = |fields: &str| format!("---\n{fields}\n---\n{BODY}");
    let with = |more: &str| fields(&format!("name: notes\ndescription: Use when asked.\n{more}"));
    let body = |more: &str| with("license: MIT") + more;
    let long = "x".repeat(501);
    let items = [
        ("YAML", with("metadata: {a: b"), "yaml-invalid"),
        ("name", fields("name: Notes\ndescription: Use when asked."), "name-invalid"),
        ("description", fields("name: notes"), "description-missing"),
        ("compatibility", with(&format!("compatibility: {long}")), "compatibility-too-long"),
        ("fields", with("colour: red"), "unknown-field"),
        ("lines", body(&"Line\n".repeat(501)), "body-too-long"),
        ("tokens", body(&"word ".repeat(4_200)), "body-tokens"),
        ("traversal", body("See [it](../../etc/passwd).\n"), "link-leaves-package"),
        ("duplicate keys", with("license: MIT\nlicense: MIT"), "yaml-duplicate-key"),
    ];
    for (item, text, code) in items {
        let found = fixture::codes(&text, Profile::Spec);
        // A broken name differs from its directory, too.
        assert_eq!(found.first().map(String::as_str), Some(code), "{item}: {found:?}");
    }
    let checked = checked(&memory(&[("notes/README.md", BODY)]), Profile::Spec);
    assert!(checked.packages.is_empty(), "existence");
}
