//! The reference tool's messages.

use expect_test::expect_file;
use prowess_format::write::scaffold;
use prowess_lint::reference::{Crash, Error, read_properties, validate};

/// A file with this frontmatter and a short body.
fn skill(yaml: &str) -> Vec<u8> {
    format!("---\n{yaml}---\nBody\n").into_bytes()
}

/// The tool's messages about a skill in a directory `pdf`, or the JSON of its properties.
fn answer(yaml: &str) -> String {
    let file = skill(yaml);
    let messages = validate(&file, "pdf").expect("the tool does not crash").join("\n");
    let shown = match read_properties(&file) {
        Ok(properties) if messages.is_empty() => properties.to_json(),
        Ok(properties) => format!("{messages}\n{}", properties.to_json()),
        Err(Error::Message(message)) if message == messages => message,
        Err(error) => format!("{messages}\n{error}"),
    };
    // A place at the end of the text shows an empty line, which the file cannot hold.
    shown.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[test]
fn answers_are_those_of_the_tool() {
    let file = include_str!("../../data/reference.txt");
    let (head, cases) = file.split_once("====\n").expect("cases follow the head");
    let mut answered = head.to_owned();
    for case in cases.split("====\n") {
        let (yaml, _) = case.split_once("----\n").expect("an answer follows the frontmatter");
        answered += &format!("====\n{yaml}----\n{}", answer(yaml));
    }
    expect_file!["../../data/reference.txt"].assert_eq(&answered);
}

#[test]
fn other_answers() {
    let version = answer("%YAML 2.0\n--- \nname: pdf\n");
    assert!(
        version.contains("(version 1.* is required)\n  in \"<unicode string>\", line 2, column 1")
    );
    let long = |count| "x".repeat(count);
    let yaml =
        format!("name: {}\ndescription: {}\ncompatibility: {}\n", long(65), long(1025), long(501));
    let messages = validate(&skill(&yaml), &long(65)).expect("no crash");
    assert_eq!(messages.len(), 3, "{messages:?}");
}

#[test]
fn files_without_frontmatter() {
    let missing = "SKILL.md must start with YAML frontmatter (---)";
    let unclosed = "SKILL.md frontmatter not properly closed with ---";
    let cases: &[(&str, &str)] = &[
        ("", missing),
        ("# Title\n", missing),
        ("\n---\nname: pdf\n---\n", missing),
        ("\u{feff}---\nname: pdf\n---\n", missing),
        ("---\nname: pdf\n", unclosed),
        ("---\nname: pdf\n...\n", unclosed),
    ];
    for (text, message) in cases {
        assert_eq!(validate(text.as_bytes(), "pdf"), Ok(vec![(*message).to_owned()]), "{text:?}");
    }
}

#[test]
fn the_second_three_dashes_close_wherever_they_stand() {
    let text = b"---\nname: pdf\ndescription: a --- b\n---\n";
    let properties = read_properties(text).expect("the tool reads it");
    assert_eq!(properties.description, "a");
}

#[test]
fn crashes_are_reported_by_type() {
    let nested: String = (0..500).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    let cases: &[(Vec<u8>, Crash)] = &[
        (b"---\nname: \xff\n---\n".to_vec(), Crash::NotUtf8),
        (skill("name: a\0b\n"), Crash::SpecialCharacter(0)),
        (skill("name: a\u{7}b\n"), Crash::SpecialCharacter(7)),
        (skill("name: \"\\U00110000\"\n"), Crash::NoCharacter),
        (skill("? - a\n: b\n"), Crash::ListAsKey),
        (skill(&nested), Crash::TooDeep),
        (vec![b'-'; prowess_format::MAX_FILE_BYTES + 1], Crash::TooLarge),
        (skill(&"x".repeat(256 * 1024)), Crash::TooLarge),
        (skill(&format!("a:\n{}", "- b\n".repeat(20_000))), Crash::TooLarge),
    ];
    for (file, crash) in cases {
        assert_eq!(validate(file, "pdf"), Err(crash.clone()));
        assert_eq!(read_properties(file), Err(Error::Crash(crash.clone())));
    }
}

#[test]
fn storms_end() {
    for storm in
        ["[", "{", "- ", "? ", "a: ", "&a ", "\"", "'", "#", "|\n", "\n", " ", "a:\n", "[a,"]
    {
        let file = skill(&storm.repeat(20_000));
        let _ = validate(&file, "pdf");
    }
}

#[test]
fn scaffold_is_valid() {
    let written = scaffold("pdf-forms", "Fills forms. Use when one arrives: always # so.")
        .expect("a good name and description");
    assert_eq!(validate(written.as_bytes(), "pdf-forms"), Ok(vec![]));
}
