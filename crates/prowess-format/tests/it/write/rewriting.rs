//! Documents that are read and written again.

use expect_test::{Expect, expect};
use prowess_format::{Profile, parse, write};

use super::{mapping, round_trip, text};

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
