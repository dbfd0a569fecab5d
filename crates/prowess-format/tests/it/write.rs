//! What is written reads back, to us and to others.

use expect_test::{Expect, expect};
use proptest::prelude::*;
use prowess_format::write::{self, WriteError};
use prowess_format::{
    Document, Field, Head, MAX_FILE_BYTES, MAX_FRONTMATTER_BYTES, Mapping, Profile, Rules,
    Summarized, Value, parse, parse_with, summarize,
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
    assert_eq!(write::rewrite(&written).as_deref(), Ok(&*written), "also when it is rewritten");
    written
}

/// How a text is written behind its key.
#[track_caller]
fn check(value: &str, expected: &str) {
    let written = round_trip(&skill_with(text(value)), "Body\n");
    let line = written.split_once("value:").expect("the field is there").1;
    assert_eq!(line, format!(" {expected}\n---\nBody\n"), "how {value:?} is written");
}

#[test]
fn quotes_stand_only_where_they_are_needed() {
    for plain in [
        "word",
        "Fills forms. Use when asked, not before!",
        "a:b http://example.org/?q=1#top",
        "a#b",
        "it's \"quoted\" inside",
        "C:\\path",
        "a, b [c] {d} & e * f",
        "é — 字 👩‍👩‍👧",
        "-x",
        ":x",
        "3d models",
        "1.2.x is it",
        "nothing",
        "$HOME",
        "(x)",
        "~/notes",
        "...",
    ] {
        check(plain, plain);
    }
}

#[test]
fn what_yaml_takes_for_something_else_is_quoted() {
    for other in [
        "",
        "no",
        "Yes",
        "on",
        "OFF",
        "y",
        "null",
        "Null",
        "~",
        "true",
        "1",
        "1.10",
        "-1",
        "+.5",
        "._73",
        "1e3",
        "1_000",
        "0x1F",
        "0o17",
        "0b1",
        "012",
        "190:20:30",
        "2001-01-01",
        "2001-01-01T00:00:00Z",
        "2001-12-14 21:59:43.10 -5",
        ".inf",
        "-.INF",
        ".nan",
        "=",
        "<<",
        "-",
        "- x",
        "? x",
        ": x",
        "a: b",
        "a:",
        "# x",
        "a # b",
        " a",
        "a ",
        "[a",
        "{a",
        "]",
        "}",
        ",",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "@a",
        "`a",
        "%a",
        "'a'",
        "---",
    ] {
        check(other, &format!("\"{other}\""));
    }
}

#[test]
fn single_quotes_save_escapes() {
    check("\"a\"", "'\"a\"'");
    check("a: \\d+", "'a: \\d+'");
    check("\"it's\": x", "'\"it''s\": x'");
}

#[test]
fn what_cannot_be_seen_is_escaped() {
    check("a\tb", r#""a\tb""#);
    check("a\rb", r#""a\rb""#);
    check("a\u{7}b", r#""a\x07b""#);
    check("a\u{85}b", r#""a\x85b""#);
    check("a\u{200b}b", r#""a\u200Bb""#);
    check("a\u{202e}b", r#""a\u202Eb""#);
    check("a\u{2028}b", r#""a\u2028b""#);
    check("\u{feff}a", r#""\uFEFFa""#);
    check("a\u{fffe}", r#""a\uFFFE""#);
    check("a\u{e0041}", r#""a\U000E0041""#);
    check("\u{a0}a", "\"\u{a0}a\"");
}

#[test]
fn lines_are_a_block_that_ends_as_the_text_does() {
    check("a\nb", "|-\n  a\n  b");
    check("a\n\n  b: # c\n- d", "|-\n  a\n\n    b: # c\n  - d");
    let with_end = round_trip(&skill_with(text("a\nb\n")), "");
    assert_eq!(yaml_of(&with_end).split_once("value: ").unwrap().1, "|\n  a\n  b\n");
    let with_more = round_trip(&skill_with(text("\na\n\n\n")), "");
    assert_eq!(yaml_of(&with_more).split_once("value: ").unwrap().1, "|+\n\n  a\n\n\n");
    check("---\na", "|-\n  ---\n  a");
    // These cannot be told from indentation.
    check(" a\nb", r#"" a\nb""#);
    check("\n", r#""\n""#);
    check("a\n \nb", r#""a\n \nb""#);
    check("a\r\nb", r#""a\r\nb""#);
}

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
    expect![[r#"
        ---
        name: pdf
        description: "Fills forms: use when one arrives."
        metadata:
          version: "1.0"
          "a: b": ""
          "yes":
            é: |
              x
              y
          none: {}
        allowed-tools: Bash(git:*) Read
        zebra: last
        when_to_use: "- always"
        hooks:
          - |-
            a
            b
          - []
          - - c
            - - d
              - e
          - k: v
            l:
              - |
                m
              - |-
                n
                o
        ---
        # PDF
    "#]]
    .assert_eq(&written);
    let read = parse(written.as_bytes(), Profile::Lenient).document.expect("it is read");
    round_trip(&read.frontmatter.fields, "# PDF\n");
}

#[track_caller]
fn check_rewrite(from: &str, to: &Expect) {
    let written = write::rewrite(from).expect("the document can be rewritten");
    assert_eq!(write::rewrite(&written).as_ref(), Ok(&written), "rewriting twice changes nothing");
    let [before, after] = [from, &written].map(|text| {
        let document = parse(text.as_bytes(), Profile::Lenient).document.expect("it is read");
        (document.frontmatter.name.clone(), document.body.to_owned())
    });
    assert_eq!(before, after, "name and body stay");
    to.assert_eq(&written);
}

/// Found by fuzzing: three dots and a blank end a YAML document, also where a key was meant.
#[test]
fn a_key_that_looks_like_an_end_is_quoted() {
    for key in ["... n", "...", "--- n", "---"] {
        let more = [("name", text("pdf")), ("description", text("Fills forms.")), (key, text("x"))];
        round_trip(&mapping(more), "");
    }
}

/// Found by fuzzing: reading fixes `0e:`, which looks like a number; without quotes, it was broken again.
#[test]
fn fixed_brackets_are_a_text_when_they_are_rewritten() {
    let text = "---\nname: tea\ndescription: [B\n  na'weau, \"a b\",]\n---\n";
    let rewritten = write::rewrite(text).expect("it can be read");
    let read = |text: &str| {
        let parsed = parse(text.as_bytes(), Profile::Lenient);
        let document = parsed.document.expect("it is fixed");
        let written = document.to_skill_md().expect("it can be written");
        (document.frontmatter.description, written)
    };
    let (description, written) = read(text);
    assert_eq!(description, "[B na'weau, \"a b\",]");
    assert_eq!(read(&rewritten).0, description, "what is rewritten says the same");
    assert_eq!(read(&written).0, description, "and so does what is written");
}

#[test]
fn a_fixed_colon_is_quoted_when_it_is_rewritten() {
    let file = "---\nname: tea\ndescription: Brews.\nx: 0e:\n---\n";
    let written = write::rewrite(file).expect("reading fixes the colon");
    assert_eq!(write::rewrite(&written).as_ref(), Ok(&written), "what was written can be read");
}

#[test]
fn a_rewritten_value_means_to_others_what_it_meant() {
    check_rewrite(
        "\u{feff}---\r\nuser-invocable: false\r\nquoted: 'false'\r\nnothing:\r\nlist: [1, two, '3']\r\nmetadata: {internal: true, v: 1.0}\r\nlicense: 1.0\r\ndescription: Use when: it rains\r\nname: 'pdf' # why\r\n---  \r\nA\nB",
        &expect![[r#"
            ---
            name: pdf
            description: "Use when: it rains"
            license: "1.0"
            metadata:
              internal: true
              v: 1.0
            user-invocable: false
            quoted: "false"
            nothing:
            list:
              - 1
              - two
              - "3"
            ---
            A
            B"#]],
    );
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
    let refused = write::rewrite("no frontmatter");
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

#[track_caller]
fn check_comments(yaml: &str, expected: &[(u32, u32)]) {
    let file = format!("---\n{yaml}---\nBody # no comment\n");
    let found = write::comments(&file);
    let places: Vec<_> = found.iter().filter_map(|found| found.line.zip(found.column)).collect();
    assert_eq!(places, expected, "{file}\n{found:#?}");
    assert!(found.iter().all(|found| found.code == write::COMMENT_LOST && !found.is_error()));
}

#[test]
fn the_comments_that_are_lost_are_listed() {
    check_comments("name: pdf\n", &[]);
    check_comments("# one\nname: pdf # two\n  # three\n", &[(2, 1), (3, 11), (4, 3)]);
    check_comments("a: b#c\nd: 'x # y'\ne: \"x # y\" # z\nf: http://x/#y\n", &[(4, 12)]);
    check_comments("a: | # one\n  # text\n  b\n\n# two\nc: d\n", &[(2, 6), (6, 1)]);
    check_comments("a: >-\n  b # text\n # one\nc: |\n  # text\n", &[(4, 2)]);
    check_comments("a: # one\n  - b # two\n  # three\n  - '#'\n", &[(2, 4), (3, 7), (4, 3)]);
    check_comments("a: [b, # one\n  c] # two\n", &[(2, 8), (3, 6)]);
    check_comments("\"a # b\": c\n? d # one\n: e\n", &[(3, 5)]);
    check_comments("a: b\n  c\n# é # two\n", &[(4, 1)]);
    check_comments("name: [\n", &[]);
}

#[test]
fn a_scaffold_pleases_every_checker() {
    let written = write::scaffold("pdf-forms", "Fills forms. Use when one arrives: always # so.")
        .expect("a good name and description");
    for profile in Profile::ALL {
        let parsed = parse(written.as_bytes(), profile);
        assert_eq!(parsed.diagnostics, [], "nothing is found under `{profile}`");
        let document = parsed.document.expect("it is read");
        assert_eq!(document.frontmatter.name, "pdf-forms");
        assert!(document.body.starts_with("# Pdf forms\n"), "the title is the name in words");
        assert_eq!(document.to_skill_md().as_ref(), Ok(&written), "it is canonical");
    }
}

#[test]
fn what_a_client_would_refuse_is_not_written_for_it() {
    let rules = Rules::of(Profile::Extended);
    for (fields, code) in [
        ("insert: user-message\narguments: [{name: a}]\ncustom-field: retained\n", None),
        ("insert: elsewhere\n", Some("extension-value-unknown")),
        ("arguments: [{name: a}, {name: a}]\n", Some("extension-duplicate")),
        ("tags: [' ']\n", Some("extension-value-invalid")),
    ] {
        let file = format!("---\nname: pdf\ndescription: x\n{fields}---\nGo.\n");
        let document = parse(file.as_bytes(), Profile::Lenient).document.expect("lenient reads it");
        let refused = match document.to_skill_md_by(&rules) {
            Ok(written) => {
                let again = parse_with(written.as_bytes(), &rules).document.expect("it is valid");
                let fields = |document: &Document<'_>| document.frontmatter.fields.iter().count();
                assert_eq!(fields(&again), fields(&document), "nothing is lost");
                None
            }
            Err(WriteError::Unreadable(found)) => Some(found.code.to_string()),
            Err(error) => panic!("{error}"),
        };
        assert_eq!(refused.as_deref(), code, "{fields}");
        assert!(document.to_skill_md().is_ok(), "who does not ask gets it written");
    }
}

#[test]
fn a_scaffold_of_a_bad_skill_is_refused() {
    let long = "a".repeat(1025);
    for (name, description) in [
        ("PDF", "x"),
        ("", "x"),
        ("con", "x"),
        ("a", ""),
        ("a", " "),
        ("a", &long),
        ("a", "\0"),
        ("a", "x\u{200b}"),
    ] {
        assert!(write::scaffold(name, description).is_err(), "{name:?}: {description:?}");
    }
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
    fn any_frontmatter_that_is_read_is_rewritten_once(yaml in crate::properties::frontmatter()) {
        let file = format!("---\n{yaml}\n---\nBody\n");
        match write::rewrite(&file) {
            Ok(written) => {
                prop_assert_eq!(write::rewrite(&written), Ok(written.clone()), "{}", file);
                prop_assert_eq!(write::comments(&written), [], "{}", written);
                let fields = |text: &str| {
                    let parsed = parse(text.as_bytes(), Profile::Lenient);
                    parsed.document.map(|document| {
                        let mut fields = document.frontmatter.fields.0;
                        fields.sort_by(|a, b| a.key.cmp(&b.key));
                        fields
                    })
                };
                prop_assert_eq!(fields(&file), fields(&written), "{}", file);
            }
            Err(error) => prop_assert!(
                parse(file.as_bytes(), Profile::Lenient).document.is_none(), "{}: {}", error, file
            ),
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
