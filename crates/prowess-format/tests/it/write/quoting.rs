//! Which values are quoted, and how.

use super::{round_trip, skill_with, text, yaml_of};

/// How a text is written behind its key.
#[track_caller]
fn check(value: &str, expected: &str) {
    let written = round_trip(&skill_with(text(value)), "Body\n");
    let line = written.split_once("value:").expect("the field is there").1;
    assert_eq!(line, format!(" {expected}\n---\nBody\n"), "how {value:?} is written");
}

#[test]
fn quotes_stand_only_where_they_are_needed() {
    let plain = "word|Fills forms. Use when asked, not before!|a:b http://example.org/?q=1#top|a#b|\
        it's \"quoted\" inside|C:\\path|a, b [c] {d} & e * f|é — 字 👩‍👩‍👧|-x|:x|3d models|1.2.x is it|\
        nothing|$HOME|(x)|~/notes|...";
    for plain in plain.split('|') {
        check(plain, plain);
    }
}

#[test]
fn what_yaml_takes_for_something_else_is_quoted() {
    let others = "no|Yes|on|OFF|y|null|Null|~|true|1|1.10|-1|+.5|._73|1e3|1_000|0x1F|0o17|0b1|012|\
        190:20:30|2001-01-01|2001-01-01T00:00:00Z|2001-12-14 21:59:43.10 -5|.inf|-.INF|.nan|=|<<|-|\
        - x|? x|: x|a: b|a:|# x|a # b| a|a |[a|{a|]|}|,|&a|*a|!a|>|@a|`a|%a|'a'|---|";
    for other in others.split('|').chain(["", "|"]) {
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
