//! Text on one line, and text in lines, without invisible characters.

use std::borrow::Cow;

use crate::bytes;
use crate::guard::guarded_brackets;
use crate::invisible::{has_invisible, is_printable, visible};

/// Returns the text on one line: without invisible characters, each run of white space one blank.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if is_one_line(text) {
        return Cow::Borrowed(text);
    }
    let visible = visible(text);
    let mut line = String::with_capacity(visible.len());
    for word in visible.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    Cow::Owned(line)
}

/// Returns whether a text is words of visible ASCII with one blank between them, so that
/// [`one_line`] returns it as it is. Other texts may be unchanged too.
pub fn is_one_line(text: &str) -> bool {
    is_line_of(text, is_printable)
}

/// Returns whether a text is words of these bytes with one blank between them.
pub(crate) fn is_line_of(text: &str, is_allowed: impl Fn(u8) -> bool) -> bool {
    let text = text.as_bytes();
    // Each byte but the last is the first of a pair.
    let is_last_allowed = text.last().is_none_or(|&last| last != b' ' && is_allowed(last));
    is_last_allowed
        && !text.starts_with(b" ")
        && !bytes::any_pair(text, |one, next| !is_allowed(one) | ((one == b' ') & (next == b' ')))
}

/// Returns the lines of a text without invisible characters. Line breaks of every system become
/// `\n`.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    // A carriage return is invisible.
    if !has_invisible(text) {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{2028}', '\u{2029}'], "\n");
    Cow::Owned(
        visible(&text)
            .chars()
            .filter(|character| matches!(character, '\n' | '\t') || !character.is_control())
            .collect(),
    )
}

/// Returns whether a text copied from any destination here equals the original: it is on one line,
/// without invisible characters and guarded tags.
pub fn is_shown_exactly(text: &str) -> bool {
    is_exact(text) && guarded_brackets(text).next().is_none()
}

/// Returns whether a text can be shown unchanged on one line, so that a copy of it equals the
/// original.
pub fn is_exact(text: &str) -> bool {
    if !bytes::any(text.as_bytes(), |byte| !is_printable(byte)) {
        return true;
    }
    !text.contains(['\n', '\t']) && !has_invisible(text)
}
