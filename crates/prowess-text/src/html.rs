//! Text of an HTML page.

use std::borrow::Cow;

use crate::terminal::terminal_lines;
use crate::xml::xml_entities;

/// Encodes a text for an element or an attribute of an HTML page that a person decides by: entities
/// for the characters with a meaning in HTML, and `\u{…}` for each character that the person would
/// not see, or that changes the reading order. Line breaks stay.
pub fn html(text: &str) -> Cow<'_, str> {
    match terminal_lines(text) {
        Cow::Borrowed(text) => xml_entities(text),
        Cow::Owned(text) => Cow::Owned(xml_entities(&text).into_owned()),
    }
}
