//! What is written reads back, to us and to others.

mod documents;
mod quoting;
mod scaffold;

use proptest::prelude::*;
use prowess_format::{
    Document, Field, Head, Mapping, Profile, Summarized, Value, parse, summarize, write,
};

use crate::support::skill;

fn text(text: impl Into<String>) -> Value {
    Value::Text(text.into())
}

fn mapping<'k>(fields: impl IntoIterator<Item = (&'k str, Value)>) -> Mapping {
    let field = |(key, value): (&str, Value)| Field {
        key: key.to_owned(),
        key_span: 0..0,
        value,
        value_span: 0..0,
    };
    Mapping(fields.into_iter().map(field).collect())
}

/// A skill with one more field, `value`.
fn skill_with(value: Value) -> Mapping {
    mapping([("name", text("pdf")), ("description", text("Fills forms.")), ("value", value)])
}

/// What is between the fences.
fn yaml_of(written: &str) -> &str {
    let rest = written.strip_prefix("---\n").expect("the file begins with a fence");
    let end = rest.find("\n---\n").expect("the frontmatter is closed");
    &rest[..=end]
}

/// What another reader makes of a text between the fences: texts, lists and mappings alone.
fn witness(yaml: &str) -> Value {
    fn value(theirs: serde_yaml::Value) -> Value {
        match theirs {
            serde_yaml::Value::String(theirs) => Value::Text(theirs),
            serde_yaml::Value::Sequence(items) => {
                Value::List(items.into_iter().map(value).collect())
            }
            serde_yaml::Value::Mapping(map) => Value::Map(mapping(
                map.into_iter()
                    .map(|(key, theirs)| (key, value(theirs)))
                    .collect::<Vec<_>>()
                    .iter()
                    .map(|(key, value)| (key.as_str().expect("a key is a text"), value.clone())),
            )),
            other => panic!("{other:?} is no text"),
        }
    }
    value(serde_yaml::from_str(yaml).unwrap_or_else(|error| panic!("{error}:\n{yaml}")))
}

/// Writes, and holds both readers to what was written.
#[track_caller]
fn round_trip(fields: &Mapping, body: &str) -> String {
    let written = write::skill_md(fields, body).expect("the document can be written");
    let parsed = parse(written.as_bytes(), Profile::Lenient);
    let document = parsed.document.unwrap_or_else(|| panic!("{written}\n{:?}", parsed.diagnostics));
    assert_eq!(document.frontmatter.fields, *fields, "reading gives what was written:\n{written}");
    assert_eq!(document.body, body, "the body stays as it is");
    assert_eq!(
        witness(yaml_of(&written)),
        Value::Map(fields.clone()),
        "another reader reads the same:\n{written}"
    );
    let strict = parse(written.as_bytes(), Profile::Spec).diagnostics;
    let advice = ["plain-not-text", "description-cut", "unquoted-colon"];
    let is_advised = strict.iter().any(|found| advice.contains(&found.code.as_str()));
    assert!(!is_advised, "a checker finds no fault with the quotes:\n{written}");
    let again = document.to_skill_md().expect("what was read can be written");
    assert_eq!(again, written, "what was written stays as it is");
    written
}

/// Texts of the characters that YAML looks at, and any others.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[-:#?!&*|>%@`'\"\\[\\]{},~=<. a0\n\t]{0,12}",
        2 => "[ -~\n]{0,30}",
        1 => prop::collection::vec(any::<char>(), 0..12).prop_map(|all| all.into_iter().filter(|c| *c != '\0').collect::<String>()),
        1 => "[+-]?[.]?[0-9_xobeEfT:. -]{1,12}",
        1 => prop::sample::select(&["no", "Null", "TRUE", "", "~", ".inf", "<<", "---", "...", "- a", "a\n...\nb"][..]).prop_map(str::to_owned),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    any_text().prop_map(Value::Text).prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::List),
            prop::collection::btree_map(any_text(), inner, 0..5).prop_map(|map| {
                Value::Map(mapping(map.iter().map(|(key, value)| (key.as_str(), value.clone()))))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_values_are_read_back(
        values in prop::collection::btree_map("[a-z]{7}|[ -~é\n]{1,7}", any_value(), 0..5),
        description in any_text().prop_filter("a description has text", |text| !text.trim().is_empty()),
        body in "[-#a \r\n]{0,20}",
    ) {
        let known = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
        let first = [("name", text("pdf")), ("description", text(description))];
        let rest = values.iter().filter(|(key, _)| !known.contains(&key.as_str()));
        let rest = rest.map(|(key, value)| (key.as_str(), value.clone()));
        round_trip(&mapping(first.into_iter().chain(rest)), &body);
    }

    #[test]
    fn any_frontmatter_that_is_read_is_written(yaml in crate::properties::frontmatter()) {
        let file = format!("---\n{yaml}\n---\nBody\n");
        let fields = |document: &Document<'_>| {
            let mut fields = document.frontmatter.fields.0.clone();
            fields.sort_by(|one, other| one.key.cmp(&other.key));
            fields
        };
        if let Some(document) = parse(file.as_bytes(), Profile::Lenient).document {
            let written = document.to_skill_md().expect("what was read can be written");
            let again = parse(written.as_bytes(), Profile::Lenient).document;
            prop_assert_eq!(again.as_ref().map(fields), Some(fields(&document)), "{}", file);
        }
    }
}

/// A catalog shows a tag without the blanks at its ends; the file keeps them, however it is written.
#[test]
fn a_tag_with_blanks_at_its_ends_comes_back_as_it_was() {
    let spellings = [
        "tags: [' a', \"b \", '  c d  ']\n",
        "tags:\n  - ' a'\n  - \"b\\t\"\n",
        "tags: ' a , b '\n",
        "metadata:\n  tags: ' a,b '\n",
    ];
    for yaml in spellings {
        let file = skill(&format!("name: pdf\ndescription: x\n{yaml}"));
        let document = parse(&file, Profile::Lenient).document.expect("a usable skill");
        let written = document.to_skill_md().expect("it can be written");
        let again = parse(written.as_bytes(), Profile::Lenient).document.expect("a usable skill");
        assert_eq!(again.frontmatter, document.frontmatter, "{yaml} became {written}");
        assert_eq!(tags(written.as_bytes()), tags(&file), "{yaml} became {written}");
        assert!(tags(&file).iter().all(|tag| tag.trim() == tag), "and a catalog trims them");
    }
}

fn tags(file: &[u8]) -> Vec<String> {
    let head = Head { bytes: file, is_whole_file: true };
    match summarize(head, None, Profile::Lenient) {
        Summarized::Done(Some(summary), _) => {
            summary.tags.iter().map(ToString::to_string).collect()
        }
        other => panic!("a summary, not {other:?}"),
    }
}
