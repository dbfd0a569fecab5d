//! Names that look alike.

use std::borrow::Cow;

use crate::invisible::is_printable_ascii;
use crate::sentence::push_visible;

/// Returns a text with each character but `\n` and the printable ones of ASCII written as `\u{…}`,
/// so that two names that look alike differ.
///
/// ```
/// use prowess_text::ascii_only;
///
/// assert_eq!(ascii_only("p\u{430}y.md"), r"p\u{430}y.md");
/// ```
pub fn ascii_only(text: &str) -> Cow<'_, str> {
    if is_printable_ascii(text) {
        return Cow::Borrowed(text);
    }
    let mut ascii = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        push_visible(&mut ascii, character, !matches!(character, ' '..='~' | '\n'));
    }
    Cow::Owned(ascii)
}
