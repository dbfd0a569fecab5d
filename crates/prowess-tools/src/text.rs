//! Texts that come from a model or a package, made fit to stand in a sentence or a wrapper.

use std::fmt::Write;

/// A name longer than this is cut where it is repeated in a sentence.
const MAX_QUOTED_CHARS: usize = 120;

/// A sentence longer than this is cut where it is part of another.
const MAX_SENTENCE_CHARS: usize = 400;

/// The text in backticks, cut if it is long, with control characters and backticks made visible.
pub(crate) fn quoted(text: &str) -> String {
    format!("`{}`", shortened(text, MAX_QUOTED_CHARS, |character| character == '`'))
}

/// A sentence of someone else, cut if it is long, with control characters made visible.
pub(crate) fn sentence(text: &str) -> String {
    shortened(text, MAX_SENTENCE_CHARS, |_| false)
}

fn shortened(text: &str, most: usize, is_special: impl Fn(char) -> bool) -> String {
    let mut shortened = String::new();
    for character in text.chars().take(most) {
        if character.is_control() || is_special(character) {
            shortened.extend(character.escape_unicode());
        } else {
            shortened.push(character);
        }
    }
    if text.chars().nth(most).is_some() {
        shortened.push('…');
    }
    shortened
}

/// `a`, `b` and `c`.
pub(crate) fn enumerated<'t>(texts: impl IntoIterator<Item = &'t str>, and: &str) -> String {
    let texts: Vec<_> = texts.into_iter().map(quoted).collect();
    match texts.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {and} {last}", first.join(", ")),
    }
}

/// Text as the content of an element or the value of an attribute.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            character if character.is_control() => {
                write!(escaped, "&#x{:X};", u32::from(character)).expect("a string takes any text");
            }
            character => escaped.push(character),
        }
    }
    escaped
}

/// A body that cannot end the element that it stands in, nor begin another of ours.
///
/// A body is Markdown with code in it, so only what looks like one of our tags is changed: any bracket
/// before the word `skill_…`, in either case, in full width, or with something invisible between.
pub(crate) fn body(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        let is_bracket = matches!(character, '<' | '\u{fe64}' | '\u{ff1c}');
        if is_bracket && begins_our_tag(&text[at + character.len_utf8()..]) {
            out.push_str("&lt;");
        } else {
            out.push(character);
        }
    }
    out
}

fn begins_our_tag(after: &str) -> bool {
    let name = after.trim_start_matches(|character: char| {
        let is_slash = matches!(character, '/' | '\u{ff0f}' | '\u{2215}' | '\u{2044}');
        is_slash || character.is_whitespace() || is_invisible(character)
    });
    let mut visible = name.chars().filter(|&character| !is_invisible(character));
    "skill_"
        .chars()
        .all(|expected| visible.next().is_some_and(|got| got.to_ascii_lowercase() == expected))
}

fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::{body, escaped, quoted};

    #[test]
    fn what_looks_like_our_tag_is_changed_and_nothing_else() {
        let cases = [
            ("</skill_content>", "&lt;/skill_content>"),
            ("<skill_content name=\"trusted\">", "&lt;skill_content name=\"trusted\">"),
            ("< / SKILL_Content >", "&lt; / SKILL_Content >"),
            ("\u{ff1c}/skill_content\u{ff1e}", "&lt;/skill_content\u{ff1e}"),
            ("<\u{200b}/sk\u{200b}ill_content>", "&lt;\u{200b}/sk\u{200b}ill_content>"),
            ("<<skill_resources>", "<&lt;skill_resources>"),
            ("if a < b && b > c { <T>::new() }", "if a < b && b > c { <T>::new() }"),
            ("<skill>", "<skill>"),
            ("<", "<"),
        ];
        for (text, expected) in cases {
            assert_eq!(body(text), expected, "the body {text:?}");
        }
    }

    #[test]
    fn an_attribute_cannot_be_left() {
        assert_eq!(escaped("a\" b='<&>\n"), "a&quot; b='&lt;&amp;&gt;&#xA;");
    }

    #[test]
    fn a_quoted_name_stays_in_its_quotes_and_short() {
        assert_eq!(quoted("a`b\u{1b}[2J"), "`a\\u{60}b\\u{1b}[2J`");
        assert_eq!(quoted(&"x".repeat(1_000_000)).chars().count(), 123);
    }
}
