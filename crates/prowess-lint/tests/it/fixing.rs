//! Fixes, and findings that are left to the author.

use expect_test::expect_file;
use proptest::prelude::*;
use prowess_format::{Profile, parse};
use prowess_lint::fix;

fn with(fields: &str) -> String {
    format!("---\n{fields}---\n# Body\n\ntext: with: colons  \r\n")
}

/// Checks what a frontmatter becomes, that the findings are gone, and that a second time changes
/// nothing.
fn check(fields: &str, codes: &[&str], expected: &str) {
    let text = with(fields);
    let fixed = fix(text.as_bytes()).expect("it is text");
    assert_eq!(fixed.after, with(expected), "{fields:?}");
    let found: Vec<&str> = fixed.codes.iter().map(prowess_core::Code::as_str).collect();
    assert_eq!(found, codes, "{fields:?}");
    assert_eq!(fixed.is_changed(), text != fixed.after, "{fields:?}");
    for found in parse(fixed.after.as_bytes(), Profile::Spec).diagnostics {
        assert!(!codes.contains(&found.code.as_str()), "{fields:?} still gives {found}");
    }
    let again = fix(fixed.after.as_bytes()).expect("it is text");
    assert!(!again.is_changed(), "fixing {fields:?} twice changes it twice");
}

/// Each line has the fields, the codes and what the fields become; `⏎` ends a line.
#[test]
fn what_has_one_right_answer_is_fixed() {
    for line in include_str!("../data/fixes.txt").lines() {
        let parts: Vec<_> = line.split(" ¦ ").map(|part| part.replace('⏎', "\n")).collect();
        let [fields, codes, expected] = &parts[..] else { panic!("{line}") };
        check(fields, &codes.split(' ').collect::<Vec<_>>(), expected);
    }
}

#[test]
fn what_needs_a_choice_is_left_alone() {
    for fields in [
        "name: a\ndescription: b\n",
        "name: a\ndescription: null\n",
        "name: a\ndescription: b\nallowed-tools: Read\nallowed_tools: Write\n",
        "name: a\ndescription: b\nlicence: MIT\n",
        "name: a\ndescription: b #c\n",
        "name: [a\n",
        "name: a\r\ndescription: b\r\n",
    ] {
        check(fields, &[], fields);
    }
}

#[test]
fn a_byte_order_mark_goes() {
    let text = format!("\u{feff}{}", with("name: a\ndescription: Use: b\n"));
    let fixed = fix(text.as_bytes()).expect("it is text");
    assert_eq!(fixed.after, with("name: a\ndescription: 'Use: b'\n"));
    let found: Vec<&str> = fixed.codes.iter().map(prowess_core::Code::as_str).collect();
    assert_eq!(found, ["byte-order-mark", "unquoted-colon"]);
}

#[test]
fn what_is_no_text_is_not_touched() {
    assert_eq!(fix(b"---\nname: \xff\n---\n"), None);
}

#[test]
fn a_diff_shows_the_change_and_two_lines_around_it() {
    let fixed = fix(with("name: a\ndescription: Use: b\nlicense: MIT\n").as_bytes());
    let diff = fixed.expect("it is text").diff("a/SKILL.md");
    expect_file!["../data/fixing.txt"].assert_eq(&diff);
}

proptest! {
    #[test]
    fn fixing_twice_is_fixing_once(lines in proptest::collection::vec(line(), 0..6)) {
        let text = with(&lines.concat());
        let once = fix(text.as_bytes()).expect("it is text").after;
        let twice = fix(once.as_bytes()).expect("it is text");
        prop_assert_eq!(&twice.after, &once);
        let said = |text: &str| {
            let document = parse(text.as_bytes(), Profile::Lenient).document;
            document.map(|document| {
                let frontmatter = document.frontmatter;
                (frontmatter.name, frontmatter.description, document.body.to_owned())
            })
        };
        prop_assert_eq!(said(&once), said(&text));
    }
}

/// A line that is nearly a field.
fn line() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        Just("name"),
        Just("Name"),
        Just("description"),
        Just("allowed_tools"),
        Just("allowed-tools"),
        Just("license"),
        Just("x"),
    ];
    let value = prop_oneof![
        "[a-z:#'\" \\\\]{0,12}",
        Just("a: b".to_owned()),
        Just("42".to_owned()),
        Just("null".to_owned()),
        Just("a\n  b: c".to_owned()),
    ];
    (key, value).prop_map(|(key, value)| format!("{key}: {value}\n"))
}
