//! Text of skills on a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text with each character that a terminal would obey or hide written as its code: a skill
/// cannot move the cursor, recolour what follows or turn the reading order round.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    escape(text, |c| c.is_control() || is_hidden(c))
}

/// As [`plain`], but with line breaks and tabs as they are.
pub(crate) fn plain_lines(text: &str) -> Cow<'_, str> {
    escape(text, |c| (c.is_control() && !matches!(c, '\n' | '\t')) || is_hidden(c))
}

/// The first line of a text, at most `width` characters long, with an ellipsis if something is cut.
pub(crate) fn one_line(text: &str, width: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = plain(&text);
    if text.chars().count() <= width {
        return text.into_owned();
    }
    let mut line: String = text.chars().take(width.saturating_sub(1)).collect();
    line.push('…');
    line
}

fn escape(text: &str, is_bad: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_bad) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if is_bad(c) {
            let _ = write!(escaped, "\\u{{{:x}}}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

/// Zero-width and bidirectional characters, and the tag block.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}
