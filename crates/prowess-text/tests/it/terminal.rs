use prowess_text::{terminal_line, terminal_lines};

#[test]
fn characters_that_a_terminal_obeys_are_shown() {
    let cases = [
        ("plain é", "plain é"),
        ("\u{1b}[31m", r"\u{1b}[31m"),
        ("\u{9b}2J", r"\u{9b}2J"),
        ("a\u{202e}b\u{200b}", r"a\u{202e}b\u{200b}"),
        ("\u{e0041}", r"\u{e0041}"),
        ("⚠\u{fe0f}", "⚠\u{fe0f}"),
        ("\r", r"\u{d}"),
    ];
    for (text, expected) in cases {
        assert_eq!(terminal_line(text), expected, "{text:?}");
        assert_eq!(terminal_lines(text), expected, "{text:?}");
    }
}

#[test]
fn lines_keep_their_breaks_and_a_line_has_none() {
    assert_eq!(terminal_line("a\n\tb"), r"a\u{a}\u{9}b");
    assert_eq!(terminal_line("a\nb"), r"a\u{a}b");
    assert_eq!(terminal_lines("a\n\tb"), "a\n\tb");
}
