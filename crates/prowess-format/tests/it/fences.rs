//! The two `---` lines.

use prowess_format::{
    Directory, Head, Profile, Rules, Summarized, parse, parse_in, summarize_with,
};

use crate::support::{codes, rows};

/// Blanks behind a fence, the end of the file at one, a byte order mark, line ends of Windows,
/// later fences and longer lines of dashes, comments: each file with its body and its findings.
#[test]
fn accepted_forms() {
    let forms = include_str!("../data/fences.json");
    for (text, body, expected) in rows::<(String, String, String)>(forms) {
        let parsed = parse(text.as_bytes(), Profile::Lenient);
        let document = parsed.document.unwrap_or_else(|| panic!("{text:?}: a document"));
        assert_eq!(document.frontmatter.name, "pdf", "{text:?}");
        assert_eq!(document.body, body, "{text:?}");
        assert_eq!(codes(text.as_bytes(), Profile::Lenient).join(" "), expected, "{text:?}");
    }
}

/// Each character of a form stands for a byte.
#[test]
fn refused_forms() {
    for line in include_str!("../data/fences.jsonl").lines() {
        let (text, expected): (String, String) = serde_json::from_str(line).expect("two texts");
        let bytes: Option<Vec<u8>> = text.chars().map(|it| u8::try_from(it).ok()).collect();
        let bytes = bytes.expect("each character stands for a byte");
        assert_eq!(codes(&bytes, Profile::Lenient), [expected], "{text:?}");
    }
}

#[test]
fn dashes_inside_a_value_stay_there() {
    let text = b"---\nname: pdf\ndescription: |\n  first --- x\n  ---\n  last\n---\nBody";
    let document = parse(text, Profile::Spec).document.expect("a document");
    assert_eq!(
        document.frontmatter.description,
        "first --- x\n  ---\n  last".replace("\n  ", "\n")
    );
    assert_eq!(document.body, "Body");
}

#[test]
fn the_body_s_line_is_counted_in_the_file() {
    for (text, line) in [
        ("---\nname: a\ndescription: x\n---\nBody", 5),
        ("---\r\nname: a\r\ndescription: x\r\n---\r\nBody", 5),
        ("---\nname: a\ndescription: x\n---", 5),
    ] {
        let document = parse(text.as_bytes(), Profile::Lenient).document.expect("a document");
        assert_eq!(document.body_line, line, "{text:?}");
    }
    let late = parse(b"\n---\nname: a\ndescription: x\n---\nBody", Profile::Lenient);
    assert_eq!(late.diagnostics[0].span, Some(1..4), "the opening fence");
}

/// Claude Code takes the name of the directory and the first paragraph; every other profile refuses
/// the file.
#[test]
fn first_paragraph_stands_in_under_claude_code() {
    type Case = (String, Option<String>, Vec<String>);
    for (file, description, codes) in rows::<Case>(include_str!("../data/first-paragraphs.json")) {
        let (file, description) =
            (file.replace("BLANK LINES", &"\n".repeat(5000)), description.as_deref());
        let directory = Some(Directory::from("pdf"));
        let rules = Rules::of(Profile::ClaudeCode);
        let parsed = parse_in(file.as_bytes(), directory, &rules);
        let found: Vec<_> = parsed.diagnostics.iter().map(|it| it.code.to_string()).collect();
        let found: Vec<_> = found.into_iter().filter(|it| codes.contains(it)).collect();
        assert_eq!(found, codes, "{file:?}: {:?}", parsed.diagnostics);
        let whole = parsed.document.map(|document| document.frontmatter);
        assert_eq!(whole.as_ref().map(|it| &*it.description), description, "{file:?}");
        assert!(whole.is_none_or(|it| it.name == "pdf"), "{file:?}: the directory's");
        let mut length = 1;
        let summary = loop {
            let bytes = &file.as_bytes()[..file.len().min(length)];
            let is_whole_file = bytes.len() == file.len();
            match summarize_with(Head { bytes, is_whole_file }, directory, &rules) {
                Summarized::NeedsBytes(more) => length = more.max(length + 1),
                Summarized::Done(summary, _) => break summary,
            }
        };
        assert_eq!(summary.map(|it| it.description.into_owned()).as_deref(), description);
        for name in ["My_Tool", "With Space", "v1.2", "زبان"] {
            let document = parse_in(file.as_bytes(), Some(Directory::from(name)), &rules).document;
            assert_eq!(document.is_some(), description.is_some(), "{file:?} in {name}");
        }
        for other in Profile::ALL.into_iter().filter(|it| *it != Profile::ClaudeCode) {
            let document = parse_in(file.as_bytes(), directory, &Rules::of(other)).document;
            assert!(document.is_none(), "{file:?} under {other}");
        }
    }
}
