//! Elements and attributes of XML.

use std::borrow::Cow;

use crate::guard::with_brackets;
use crate::lines::{one_line, visible_lines};

/// Encodes the content of an XML element: lines without invisible characters, and entities for the
/// characters with a meaning in XML. A parser returns the visible text, with `<` for a look-alike
/// bracket that opens a guarded tag.
pub fn xml_element(text: &str) -> Cow<'_, str> {
    match visible_lines(text) {
        Cow::Borrowed(text) if text.is_ascii() => xml_entities(text),
        text => {
            let mut encoded = String::with_capacity(text.len() + 16);
            push_visible(&mut encoded, &text);
            Cow::Owned(encoded)
        }
    }
}

/// Appends the content of an XML element, as [`xml_element`].
pub fn push_xml_element(target: &mut String, text: &str) {
    push_visible(target, &visible_lines(text));
}

/// Appends the content of an XML element on one line, as [`one_line`].
pub fn push_xml_line(target: &mut String, text: &str) {
    push_visible(target, &one_line(text));
}

/// Appends visible text. Only outside of ASCII does a bracket look like `<` and need no entity.
fn push_visible(target: &mut String, text: &str) {
    if text.is_ascii() {
        push_xml_entities(target, text);
    } else {
        push_xml_entities(target, &with_brackets(text, "<"));
    }
}

/// Encodes the value of an XML attribute, without its quotes. Line breaks and tabs are written as
/// numbers, because a parser turns them into blanks otherwise.
pub fn xml_attribute(text: &str) -> Cow<'_, str> {
    let text = xml_element(text);
    if text.contains(['\n', '\t']) {
        return Cow::Owned(text.replace('\n', "&#10;").replace('\t', "&#9;"));
    }
    text
}

/// Replaces `&`, `<`, `>`, `"` and `'` by entities and nothing else.
///
/// This is for output that must equal another tool's byte for byte. It leaves invisible characters
/// in; use [`xml_element`] for text that a person or a model reads.
pub fn xml_entities(text: &str) -> Cow<'_, str> {
    if !has_entity(text) {
        return Cow::Borrowed(text);
    }
    let mut encoded = String::with_capacity(text.len() + 16);
    push_xml_entities(&mut encoded, text);
    Cow::Owned(encoded)
}

fn push_xml_entities(target: &mut String, text: &str) {
    if !has_entity(text) {
        return target.push_str(text);
    }
    let mut from = 0;
    for (index, byte) in text.bytes().enumerate() {
        if let Some(entity) = entity(byte) {
            target.push_str(&text[from..index]);
            target.push_str(entity);
            from = index + 1;
        }
    }
    target.push_str(&text[from..]);
}

/// Most texts need no entity; a loop without branches checks many bytes in one step.
fn has_entity(text: &str) -> bool {
    text.bytes().fold(false, |so_far, byte| so_far | entity(byte).is_some())
}

/// Returns the entity of a character with a meaning in XML; each is one byte.
fn entity(byte: u8) -> Option<&'static str> {
    Some(match byte {
        b'&' => "&amp;",
        b'<' => "&lt;",
        b'>' => "&gt;",
        b'"' => "&quot;",
        b'\'' => "&#x27;",
        _ => return None,
    })
}
