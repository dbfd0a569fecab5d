use prowess_text::{
    clipped, has_invisible, html, quoted, shell_word, terminal_json, terminal_line, terminal_lines,
    visible_lines,
};

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
fn page_shows_what_a_terminal_shows() {
    for (text, expected) in [
        ("plain é\n", "plain é\n"),
        ("<a b='\"'>&amp;", "&lt;a b=&#x27;&quot;&#x27;&gt;&amp;amp;"),
        ("a\u{202e}<\r", r"a\u{202e}&lt;\u{d}"),
        ("⚠\u{fe0f}", "⚠\u{fe0f}"),
    ] {
        assert_eq!(html(text), expected, "{text:?}");
    }
}

#[test]
fn lines_keep_their_breaks_and_a_line_has_none() {
    assert_eq!(terminal_line("a\n\tb"), r"a\u{a}\u{9}b");
    assert_eq!(terminal_line("a\nb"), r"a\u{a}b");
    assert_eq!(terminal_lines("a\n\tb"), "a\n\tb");
    let typed = "\u{3000}Voil\u{e0}\u{a0}: 10\u{202f}000";
    assert_eq!(terminal_lines(typed), typed, "a text of several lines keeps blanks");
}

/// Blanks but the space, signs without ink, and format characters with a look.
const UNCLEAR: &str = "\u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\
    \u{2007}\u{2008}\u{2009}\u{200a}\u{202f}\u{205f}\u{3000}\u{2800}\u{2d7f}\u{fffc}\u{1107f}\
    \u{16fe4}\u{1d159}\u{600}\u{601}\u{602}\u{603}\u{604}\u{605}\u{6dd}\u{70f}\u{890}\u{891}\
    \u{8e2}\u{110bd}\u{110cd}";

#[test]
fn blanks_and_format_characters_are_marked_and_stay_in_a_prompt() {
    for character in UNCLEAR.chars() {
        let text = format!("a{character}b");
        let escaped = format!("a{}b", character.escape_unicode());
        for shown in [terminal_line(&text), clipped(&text, 9).into()] {
            assert_eq!(shown, escaped);
        }
        let is_typed = "\u{a0}\u{202f}\u{3000}".contains(character);
        assert_eq!(terminal_lines(&text), if is_typed { &text } else { &escaped }.as_str());
        assert_eq!(quoted(&text), format!("`{escaped}`"));
        let json = serde_json::Value::from(&*text).to_string();
        let shown = terminal_json(&json);
        assert!(shown.is_ascii() && shown.contains("\\u"), "{shown}");
        assert_eq!(serde_json::from_str::<String>(&shown).expect("JSON"), text);
        assert!(shell_word(&text).is_ascii(), "{text:?}");
        assert!(!has_invisible(&text) && visible_lines(&text) == text, "a model reads {escaped}");
    }
}

/// Everything without a look of its own, by the lists of Unicode: no encoder lets it pass.
#[test]
fn no_ignorable_character_is_raw() {
    let ranges = "0-1f 7f-9f ad-ad 34f-34f 61c-61c 115f-1160 17b4-17b5 180b-180f 200b-200f 2028-202e \
                  2060-206f 3164-3164 fe00-fe0f feff-feff ffa0-ffa0 fff0-fffb 13430-1343f 1bca0-1bca3 1d173-1d17a e0000-e0fff";
    let point = |text| u32::from_str_radix(text, 16).expect("a code point");
    let ranges = ranges.split(' ').filter_map(|range| range.split_once('-'));
    let all = ranges.flat_map(|(first, last)| point(first)..=point(last));
    for character in all.filter_map(char::from_u32) {
        let line = terminal_line(&format!("a{character}b")).into_owned();
        assert_eq!(line, format!("a{}b", character.escape_unicode()));
    }
}
