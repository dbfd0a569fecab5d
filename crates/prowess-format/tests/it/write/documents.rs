//! Whole documents, and what is refused.

use expect_test::expect_file;
use prowess_format::write::WriteError;
use prowess_format::{
    Document, MAX_FILE_BYTES, MAX_FRONTMATTER_BYTES, Mapping, Profile, Value, parse, write,
};

use super::{mapping, round_trip, skill_with, text, yaml_of};

#[test]
fn a_document_is_written_whole() {
    let fields = mapping([
        ("zebra", text("last")),
        ("allowed-tools", text("Bash(git:*) Read")),
        ("when_to_use", text("- always")),
        (
            "metadata",
            Value::Map(mapping([
                ("version", text("1.0")),
                ("a: b", text("")),
                ("yes", Value::Map(mapping([("é", text("x\ny\n"))]))),
                ("none", Value::Map(Mapping::default())),
            ])),
        ),
        ("description", text("Fills forms: use when one arrives.")),
        ("name", text("pdf")),
        (
            "hooks",
            Value::List(vec![
                text("a\nb"),
                Value::List(vec![]),
                Value::List(vec![text("c"), Value::List(vec![text("d"), text("e")])]),
                Value::Map(mapping([
                    ("k", text("v")),
                    ("l", Value::List(vec![text("m\n"), text("n\no")])),
                ])),
            ]),
        ),
    ]);
    let written = write::skill_md(&fields, "# PDF\n").expect("the document can be written");
    expect_file!["../../data/written-document.txt"].assert_eq(&written);
    let read = parse(written.as_bytes(), Profile::Lenient).document.expect("it is read");
    round_trip(&read.frontmatter.fields, "# PDF\n");
}

#[track_caller]
fn check_refused(fields: &Mapping, body: &str, expected: &WriteError) {
    let refused = write::skill_md(fields, body).expect_err("the document cannot be written");
    assert_eq!(&refused, expected);
    assert!(refused.to_string().starts_with("invalid document: "), "{refused}");
}

/// `levels` lists in each other.
fn nested(levels: usize) -> Value {
    (0..levels).fold(text("x"), |inner, _| Value::List(vec![inner]))
}

#[test]
fn what_reading_would_refuse_is_not_written() {
    check_refused(&skill_with(text("a\0")), "", &WriteError::NulCharacter("value".into()));
    check_refused(&skill_with(text("a")), "a\0", &WriteError::NulCharacter("body".into()));
    check_refused(
        &mapping([("a", text("b")), ("a", text("c"))]),
        "",
        &WriteError::DuplicateKey("a".into()),
    );
    check_refused(&skill_with(nested(16)), "", &WriteError::TooDeep);
    let many = Value::List(vec![text("a"); 10_000]);
    check_refused(&skill_with(many), "", &WriteError::TooManyNodes);
    let long = "k".repeat(1001);
    let refused = write::skill_md(&mapping([(long.as_str(), text("a"))]), "");
    assert!(matches!(refused, Err(WriteError::KeyTooLong(_))), "a reader would not find the colon");
    let large = skill_with(text("a".repeat(MAX_FRONTMATTER_BYTES)));
    let refused = write::skill_md(&large, "");
    assert!(matches!(refused, Err(WriteError::FrontmatterTooLarge(_))), "reading stops before");
    let body = "a".repeat(MAX_FILE_BYTES);
    let refused = write::skill_md(&skill_with(text("a")), &body);
    assert!(matches!(refused, Err(WriteError::FileTooLarge(_))), "reading would not begin");
    let refused = write::agent_manifest("no manifest");
    assert!(matches!(refused, Err(WriteError::Unreadable(_))), "there is nothing to rewrite");
}

#[test]
fn the_largest_that_is_read_is_written() {
    round_trip(&skill_with(nested(15)), "");
    let skill_and_list = 1 + 3 * 2;
    round_trip(&skill_with(Value::List(vec![text("a"); 10_000 - skill_and_list])), "");
    let key = "k".repeat(1000);
    let mut fields = skill_with(text("a"));
    fields.0.extend(mapping([(key.as_str(), text("a"))]).0);
    round_trip(&fields, "");
    let rest = yaml_of(&round_trip(&skill_with(text("")), "")).len();
    round_trip(&skill_with(text("a".repeat(MAX_FRONTMATTER_BYTES - rest + 2))), "");
}

/// Found by fuzzing: three dots and a blank end a YAML document, also where a key was meant.
#[test]
fn a_key_that_looks_like_an_end_is_quoted() {
    for key in ["... n", "...", "--- n", "---"] {
        let more = [("name", text("pdf")), ("description", text("Fills forms.")), (key, text("x"))];
        round_trip(&mapping(more), "");
    }
}

#[test]
fn fixed_brackets_are_written_as_a_text() {
    let text = "---\nname: tea\ndescription: [B\n  na'weau, \"a b\",]\n---\n";
    let description = |document: &Document<'_>| document.frontmatter.description.clone();
    let fixed = parse(text.as_bytes(), Profile::Lenient).document.expect("it is fixed");
    assert_eq!(description(&fixed), "[B na'weau, \"a b\",]");
    let written = fixed.to_skill_md().expect("it can be written");
    let read = parse(written.as_bytes(), Profile::Lenient).document.expect("it is read");
    assert_eq!(description(&read), description(&fixed));
}
