//! Text on a terminal.

use std::borrow::Cow;

use crate::invisible::{Marked, is_printable_ascii, marked};
use crate::sentence::push_visible;

/// Encodes a text for one line of a terminal: each character that a terminal interprets or hides,
/// or shows as another blank, is written as `\u{…}`, also line breaks and tabs. A skill cannot move
/// the cursor, change colours or reverse the reading order.
pub fn terminal_line(text: &str) -> Cow<'_, str> {
    escaped(text, |marked| marked.is_unclear() || matches!(marked.character, '\n' | '\t'))
}

/// Encodes a text for a terminal as [`terminal_line`], but keeps line breaks, tabs and the blanks
/// that people type: U+00A0 and U+202F in French, U+3000 in Chinese and Japanese.
pub fn terminal_lines(text: &str) -> Cow<'_, str> {
    let is_typed = |character| matches!(character, '\u{a0}' | '\u{202f}' | '\u{3000}');
    escaped(text, |marked| marked.is_unclear() && !is_typed(marked.character))
}

fn escaped(text: &str, is_escaped: impl Fn(&Marked) -> bool) -> Cow<'_, str> {
    let is_plain = is_printable_ascii(text) && !text.contains('\n');
    if is_plain || !marked(text).any(|marked| is_escaped(&marked)) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for marked in marked(text) {
        push_visible(&mut escaped, marked.character, is_escaped(&marked));
    }
    Cow::Owned(escaped)
}
