//! Whole files, as authors write them, and what comes of each under every profile.

use prowess_format::{AllowedTools, Parsed, Profile, check_directory, parse};

use crate::support::assert_sound;

/// What reading a file gives under `lenient`, `extended`, `spec` and `strict`: the codes that are
/// errors, behind `!`, and the others.
fn verdicts(text: &[u8]) -> [Vec<String>; 4] {
    [Profile::Lenient, Profile::Extended, Profile::Spec, Profile::Strict].map(|profile| {
        let parsed = parse(text, profile);
        assert_sound(text, &parsed);
        let found = parsed.diagnostics.iter();
        found
            .map(|found| format!("{}{}", if found.is_error() { "!" } else { "" }, found.code))
            .collect()
    })
}

/// A file with the same findings under every profile.
fn same(text: &[u8], expected: &[&str]) {
    each(text, [expected; 4]);
}

fn each(text: &[u8], expected: [&[&str]; 4]) {
    let shown = String::from_utf8_lossy(&text[..text.len().min(80)]).into_owned();
    for (number, (found, expected)) in verdicts(text).iter().zip(expected).enumerate() {
        assert_eq!(found, expected, "{shown:?} under the profile {number}");
    }
}

/// Fields behind a name and a description.
fn more(fields: &str) -> Vec<u8> {
    format!("---\nname: fill-forms\ndescription: Fills forms.\n{fields}---\nBody\n").into_bytes()
}

fn document(text: &[u8]) -> Parsed<'_> {
    parse(text, Profile::Lenient)
}

#[test]
fn files_that_nobody_can_use() {
    same(b"# A heading and no fields\n", &["!frontmatter-missing"]);
    same(b"\n---\nname: a\ndescription: b\n---\n", &["!frontmatter-missing"]);
    same(b"x---\nname: a\n---\n", &["!frontmatter-missing"]);
    same(b"---\nname: fill-forms\ndescription: x\n", &["!frontmatter-unclosed"]);
    same(b"---\ndescription: x\n---\nBody\n", &["!name-missing"]);
    same(b"---\nname: fill-forms\n---\nBody\n", &["!description-missing"]);
    same(b"---\nname: fill/forms\ndescription: x\n---\nBody\n", &["!name-invalid"]);
    same(b"---\nname: fill-forms\ndescription: \"\"\n---\nBody\n", &["!description-empty"]);
    same(b"---\n\xff", &["!not-utf8"]);
    same(b"---\nname: a\ndescription: b\n---\nBo\0dy\n", &["!nul-byte"]);
    same(&more("license: MIT\nlicense: MIT\n"), &["!yaml-duplicate-key"]);
    same(&more("metadata:\n  a: 1\n  a: 2\n"), &["!yaml-duplicate-key"]);
    same(&more("x: &a [b]\ny: *a\n"), &["!yaml-anchor"]);
    same(&more("x: !!python/object:os.system 1\n"), &["!yaml-tag"]);
    same(&more(&format!("x: {}\n", "[".repeat(10_000))), &["!yaml-too-deep"]);
}

#[test]
fn files_that_everybody_can_use() {
    let head = "---\nname: fill-forms\ndescription: Fills forms.\n---\n";
    same(format!("{head}Body\n").as_bytes(), &[]);
    same(format!("{head}Body\n").replace('\n', "\r\n").as_bytes(), &[]);
    same(format!("{head}Body\n").replace("---\n", "--- \t \n").as_bytes(), &[]);
    same(format!("{head}Body\n---\nmore\n").as_bytes(), &[]);
    same(format!("\u{feff}{head}Body\n").as_bytes(), &["byte-order-mark"]);
    same(head.as_bytes(), &["body-empty"]);
    same(head.trim_end().as_bytes(), &["body-empty"]);
    same(b"---\nname: a\ndescription: |\n  Text\n  ---\n  more\n---\nBody\n", &[]);
    same(b"---\nname: a\ndescription: >-\n  Folded\n  text\n---\nBody\n", &[]);
    same(&more("metadata:\n  deep: {a: {b: 1}}\n  number: 3\n  truth: true\n"), &[]);
}

#[test]
fn files_on_which_profiles_differ() {
    each(&more("foo: 1\n"), [&[], &["unknown-field"], &["!unknown-field"], &["!unknown-field"]]);
    each(
        b"---\nname: fill-forms\ndescription: 42\n---\nBody\n",
        [&["plain-not-text"], &["!plain-not-text"], &["!plain-not-text"], &["!plain-not-text"]],
    );
    each(
        b"---\nname: a\ndescription: Use when: asked\n---\nBody\n",
        [&["unquoted-colon"], &["!unquoted-colon"], &["!unquoted-colon"], &["!unquoted-colon"]],
    );
    let found = document(b"---\nname: a\ndescription: Use when: asked\n---\nBody\n").diagnostics;
    assert_eq!(found[0].line, Some(3));
    assert!(found[0].help.starts_with("quote the value"), "{}", found[0].help);
}

#[test]
fn descriptions_and_compatibility_have_bounds_in_characters() {
    let description =
        |text: &str| format!("---\nname: a\ndescription: '{text}'\n---\nBody\n").into_bytes();
    same(&description(""), &["!description-empty"]);
    same(&description("x"), &[]);
    same(&description(&"x".repeat(1024)), &[]);
    same(&description(&"字".repeat(1024)), &[]);
    let long: &[&str] = &["!description-too-long"];
    each(&description(&"x".repeat(1025)), [&["description-too-long"], long, long, long]);
    same(&more("compatibility: ''\n"), &[]);
    same(&more(&format!("compatibility: {}\n", "x".repeat(500))), &[]);
    let (warning, error): (&[&str], &[&str]) =
        (&["compatibility-too-long"], &["!compatibility-too-long"]);
    let long = more(&format!("compatibility: {}\n", "x".repeat(501)));
    each(&long, [warning, warning, error, error]);
}

#[test]
fn lines_of_a_body_are_counted_with_and_without_a_last_line_end() {
    let (warning, error): (&[&str], &[&str]) = (&["body-too-long"], &["!body-too-long"]);
    for end in ["\n", "\r\n"] {
        let lines = format!("line{end}").repeat(499);
        for ending in ["line".to_owned(), format!("line{end}")] {
            let body = |rest: &str| [more(""), format!("{lines}{rest}").into_bytes()].concat();
            // `more` has a line of its own.
            same(&body(""), &[]);
            each(&body(&ending), [warning, warning, warning, error]);
        }
    }
}

#[test]
fn tools_are_absent_empty_or_rules() {
    let tools = |field: &str| {
        let file = more(field);
        let document = document(&file).document.expect("a document");
        document.frontmatter.allowed_tools
    };
    assert_eq!(tools(""), AllowedTools::Absent);
    assert_eq!(tools("allowed-tools: []\n"), AllowedTools::Empty);
    assert_eq!(tools("allowed-tools: ''\n"), AllowedTools::Empty);
    assert_eq!(tools("allowed-tools: Bash(git:*) Read\n").rules().len(), 2);
    assert_eq!(tools("allowed-tools: [Bash, Read]\n").rules().len(), 2);
    assert_eq!(tools("allowed-tools: Bash(git add:*, git commit:*)\n").rules().len(), 1);
}

#[test]
fn nested_metadata_reads_as_texts() {
    let file = more("metadata:\n  z: {a: {b: 1}}\n  n: 3\n  t: true\n  l: [a, 'b']\n  e:\n");
    let document = document(&file).document.expect("a document");
    let texts: Vec<_> = document.frontmatter.metadata.texts().collect();
    let expected =
        [("z", r#"{"a":{"b":"1"}}"#), ("n", "3"), ("t", "true"), ("l", r#"["a","b"]"#), ("e", "")];
    assert_eq!(texts, expected.map(|(key, text)| (key, text.into())));
}

#[test]
fn another_directory_s_name_matters_by_profile() {
    for (profile, severity) in [
        (Profile::Lenient, "warning"),
        (Profile::Extended, "warning"),
        (Profile::Spec, "error"),
        (Profile::Strict, "error"),
    ] {
        let found = check_directory("b", "a", profile).expect("the names differ");
        assert_eq!(found.severity.as_str(), severity, "under {profile}");
        assert!(check_directory("ｐｄｆ", "pdf", profile).is_none(), "one name in two forms");
    }
}

#[test]
fn a_full_example_keeps_everything() {
    let file = "---\nname: review-code\ndescription: >\n  Reviews changes.\n  Use when asked for a review.\n\
                license: Apache-2.0\ncompatibility: Needs git\nmetadata:\n  author: someone\n  \
                version: \"1.10\"\nallowed-tools: Bash(git diff:*) Read\n---\n# Reviews\n";
    same(file.as_bytes(), &[]);
    let document = document(file.as_bytes()).document.expect("a document");
    let frontmatter = document.frontmatter;
    assert_eq!(frontmatter.description, "Reviews changes. Use when asked for a review.");
    assert_eq!(frontmatter.license.as_deref(), Some("Apache-2.0"));
    assert_eq!(frontmatter.compatibility.as_deref(), Some("Needs git"));
    assert_eq!(frontmatter.fields.iter().count(), 6);
    assert_eq!((document.body, document.body_line), ("# Reviews\n", 13));
}

#[test]
fn a_title_is_the_first_heading_of_the_first_level() {
    for (body, title) in [
        ("# Filling forms\n# Other\n", Some("Filling forms")),
        ("Text.\n\n  # Filling forms #\r\n", Some("Filling forms")),
        ("## When\n\n# Forms", Some("Forms")),
        ("```sh\n# no title\n~~~\n```\n# Forms\n", Some("Forms")),
        ("#\n# \n#Forms\n    # code\n## When\n", None),
        ("```\n# no title\n", None),
        ("", None),
    ] {
        let file = format!("---\nname: pdf\ndescription: x\n---\n{body}");
        let document = parse(file.as_bytes(), Profile::Lenient).document.expect("a good file");
        assert_eq!(document.title(), title, "{body:?}");
    }
}
