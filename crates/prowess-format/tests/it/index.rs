//! The index by which a site says which skills it has.

use expect_test::expect_file;
use proptest::prelude::*;
use prowess_format::index::{
    ArtifactKind, IndexEntry, IndexError, MAX_INDEX_BYTES, SCHEMA, SkillIndex,
};
use serde_json::{Value, json};

const DIGEST: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

fn entry() -> Value {
    json!({
        "name": "pdf", "type": "skill-md", "description": "Fills forms.", "url": "pdf/SKILL.md",
        "digest": DIGEST,
    })
}

fn index(skills: &[Value]) -> Vec<u8> {
    json!({ "$schema": SCHEMA, "skills": skills }).to_string().into_bytes()
}

#[test]
fn what_is_written_is_read() {
    let index = SkillIndex {
        skills: vec![IndexEntry {
            name: "pdf".into(),
            kind: ArtifactKind::Archive,
            description: "Fills forms.".into(),
            url: "/skills/pdf.tar.gz".into(),
            digest: DIGEST.into(),
            signature: Some("/skills/pdf.tar.gz.minisig".into()),
        }],
    };
    let text = index.to_json();
    expect_file!["../data/index.txt"].assert_eq(&text);
    let read = SkillIndex::read(text.as_bytes()).expect("it is an index");
    assert_eq!((read.index, read.left_out), (index, vec![]));
}

/// Each fault leaves its entry out, with a reason that names the field, and no other.
#[test]
fn one_bad_entry_takes_no_good_one_along() {
    for (field, value) in [
        ("name", json!("Not A Name")),
        ("name", json!("")),
        ("name", json!(7)),
        ("name", Value::Null),
        ("type", json!("exe")),
        ("description", json!(" ")),
        ("description", json!("x".repeat(1_025))),
        ("url", json!("")),
        ("url", json!("a b")),
        ("url", json!("a\nb")),
        ("digest", json!("sha256:abc")),
        ("digest", json!(DIGEST.to_uppercase())),
        ("digest", json!(DIGEST.replace("sha256", "md5"))),
    ] {
        let (mut bad, mut good) = (entry(), entry());
        bad[field] = value.clone();
        good["name"] = json!("good");
        let read = SkillIndex::read(&index(&[bad, good])).expect("it is an index");
        let names: Vec<_> = read.index.skills.iter().map(|skill| skill.name.as_str()).collect();
        assert_eq!(names, ["good"], "{field}: {value}");
        assert_eq!(read.left_out.len(), 1, "{field}: {value}");
        assert_eq!(read.left_out[0].at, 0, "{field}: {value}");
        assert!(!read.left_out[0].reason.is_empty(), "{field}: {value}");
    }
}

#[test]
fn a_name_is_given_once_and_what_is_not_known_is_passed_over() {
    let mut later = entry();
    later["published"] = json!("2026-01-17");
    let read = SkillIndex::read(&index(&[later, entry()])).expect("it is an index");
    assert_eq!(read.index.skills.len(), 1);
    assert_eq!(read.left_out[0].reason, "`name`: there is a skill `pdf` before it");
}

#[test]
fn entry_with_a_field_twice_is_left_out() {
    let text = String::from_utf8(index(&[entry()])).expect("it is JSON");
    for field in ["name", "type", "description", "url", "digest"] {
        let value = entry()[field].to_string();
        let twice =
            text.replace(&format!("\"{field}\""), &format!("\"{field}\":{value},\"{field}\""));
        let read = SkillIndex::read(twice.as_bytes()).expect("it is an index");
        assert_eq!(read.left_out.len(), 1, "{twice}");
        assert_eq!(read.left_out[0].reason, "a field is there twice");
    }
}

#[test]
fn what_is_no_index_of_this_version_is_refused() {
    let refused = |bytes: &[u8]| SkillIndex::read(bytes).expect_err("it is refused");
    let older = json!({ "$schema": SCHEMA.replace("0.2.0", "0.3.0"), "skills": [] }).to_string();
    assert!(matches!(refused(older.as_bytes()), IndexError::UnknownVersion(_)));
    for text in ["", "{", "[]", "{}", r#"{"skills": []}"#, r#"{"$schema": "x"}"#, "\u{feff}{}"] {
        assert!(matches!(refused(text.as_bytes()), IndexError::Invalid(_)), "{text}");
    }
    let large = vec![b' '; MAX_INDEX_BYTES + 1];
    assert_eq!(refused(&large), IndexError::TooLarge);
    let deep = "[".repeat(100_000);
    assert!(matches!(refused(deep.as_bytes()), IndexError::Invalid(_)), "no stack overflows");
}

proptest! {
    #[test]
    fn any_bytes_are_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = SkillIndex::read(&bytes);
    }
}
