//! A file that can be read keeps its fields and its body when it is written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess_format::{Document, Profile, parse};

fuzz_target!(|text: &str| {
    let Some(document) = read(text) else { return };
    if let Ok(canonical) = document.to_skill_md() {
        assert_same(&document, &canonical);
    }
});

fn read(text: &str) -> Option<Document<'_>> {
    parse(text.as_bytes(), Profile::Lenient).document
}

fn assert_same(document: &Document<'_>, written: &str) {
    let again = read(written).unwrap_or_else(|| panic!("what was written can be read:\n{written}"));
    let sorted = |document: &Document<'_>| {
        let mut fields = document.frontmatter.fields.clone();
        // The canonical order differs from that of the file.
        fields.0.sort_by(|one, other| one.key.cmp(&other.key));
        fields
    };
    assert_eq!(sorted(&again), sorted(document), "the fields are the same:\n{written}");
    assert_eq!(again.body, document.body, "the body is the same");
}
