use std::borrow::Cow;

use prowess_testkit::HIDDEN_TEXTS;
use prowess_text::{
    find_invisible, is_exact, is_invisible, is_one_line, is_printable_ascii, is_shown_exactly,
    loses_characters, one_line, terminal_json, terminal_line, visible_lines, xml_element,
};

/// The texts of a table, each behind what it is.
fn rows(json: &str) -> Vec<[String; 2]> {
    serde_json::from_str(json).expect("JSON")
}

#[test]
fn hidden_texts_are_found() {
    for text in HIDDEN_TEXTS {
        assert!(find_invisible(text).is_some(), "{text:?} hides something");
        assert!(!is_exact(text), "{text:?} cannot be shown as it is");
    }
}

#[test]
fn visible_texts_are_unchanged() {
    for [why, text] in rows(include_str!("../data/visible.json")) {
        let text = &*text;
        assert_eq!(find_invisible(text), None, "{why}: {text:?}");
        assert_eq!(visible_lines(text), text);
        assert_eq!(one_line(text), text);
        assert!(is_exact(text), "{text:?}");
    }
}

#[test]
fn printable_ascii_may_have_line_feeds() {
    for text in ["", "a b~", "a\nb"] {
        assert!(is_printable_ascii(text), "{text:?}");
    }
    for text in ["a\tb", "é", "\u{7f}", "\0", "a long text of ASCII with an é"] {
        assert!(!is_printable_ascii(text), "{text:?}");
    }
}

#[test]
fn characters_that_encoders_remove_are_found() {
    for text in ["a\u{200b}", "\u{1b}[2J"] {
        assert!(loses_characters(text), "{text:?}");
    }
    for text in ["a b\n", "é", "a\r\nb", "👩\u{200d}🔬"] {
        assert!(!loses_characters(text), "{text:?}");
    }
}

#[test]
fn text_is_shown_exactly_without_tags_and_breaks() {
    for text in ["a b", "é", "<x>", ""] {
        assert!(is_shown_exactly(text) && is_exact(text), "{text:?}");
    }
    for text in ["</skill>", "＜skill>"] {
        assert!(!is_shown_exactly(text) && is_exact(text), "{text:?}");
    }
    for text in ["\n", "\u{200b}", "a\tb</skill>", "\u{202e}a"] {
        assert!(!is_shown_exactly(text) && !is_exact(text), "{text:?}");
    }
}

#[test]
fn unchanged_texts_are_not_copied() {
    let is_borrowed = |text: Cow<'_, str>| matches!(text, Cow::Borrowed(_));
    for text in ["plain", "é"] {
        assert!(is_borrowed(visible_lines(text)) && is_borrowed(terminal_line(text)), "{text}");
        assert!(is_borrowed(terminal_json(text)), "{text}");
    }
    assert!(is_borrowed(one_line("plain")) && is_borrowed(xml_element("a\nb")));
}

#[test]
fn line_breaks_and_tabs_are_visible() {
    assert!(!is_invisible('\n') && !is_invisible('\t') && !is_invisible(' '));
    assert!(is_invisible('\r') && is_invisible('\u{7f}') && is_invisible('\u{85}'));
    assert!(!is_exact("a\nb") && !is_exact("a\tb"), "two lines are not one");
}

#[test]
fn line_breaks_of_every_system_become_one() {
    assert_eq!(visible_lines("a\r\nb\rc\u{2028}d\n\te\u{b}f"), "a\nb\nc\nd\n\tef");
}

#[test]
fn white_space_becomes_single_blanks() {
    assert_eq!(one_line(" line one\n\tline\u{2028}two\u{85} "), "line one line two");
    assert_eq!(one_line("a  b"), "a b");
    assert_eq!(one_line(" \u{200b} "), "");
    for text in ["a b", "a", ""] {
        assert!(is_one_line(text), "{text:?}");
    }
    for text in [" a", "a ", "a  b", "a\nb", "é"] {
        assert!(!is_one_line(text), "{text:?}");
    }
}

#[test]
fn a_selector_hides_nothing_behind_an_emoji() {
    assert_eq!(one_line("⚠\u{fe0f}\u{fe0f}\u{fe01}\u{e0101}\u{200d}x"), "⚠\u{fe0f}x");
    assert_eq!(one_line("a\u{200d}👩 👩\u{200d}b x\u{fe0f}"), "a👩 👩b x");
}

#[test]
fn joiners_and_tags_elsewhere_are_hidden() {
    for [why, text] in rows(include_str!("../data/hidden.json")) {
        assert!(find_invisible(&text).is_some(), "{why}: {text:?} hides something");
        assert!(loses_characters(&text), "{text:?}");
    }
}
