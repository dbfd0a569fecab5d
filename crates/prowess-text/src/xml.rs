//! Elements and attributes of XML.

use std::borrow::Cow;

use crate::bytes;
use crate::guard::with_brackets;
use crate::invisible::is_printable;
use crate::lines::{is_line_of, one_line, visible_lines};

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

/// Appends the content of an XML element, as [`xml_element`]. Returns true if the text needed no
/// change; false says nothing.
pub fn push_xml_element(target: &mut String, text: &str) -> bool {
    let is_changed = |byte| (!is_printable(byte) & (byte != b'\n')) | is_special(byte);
    let is_plain = !bytes::any(text.as_bytes(), is_changed);
    if is_plain {
        target.push_str(text);
    } else {
        push_visible(target, &visible_lines(text));
    }
    is_plain
}

/// Appends the content of an XML element on one line, as [`one_line`]. Returns true if the text
/// needed no change; false says nothing.
pub fn push_xml_line(target: &mut String, text: &str) -> bool {
    let is_shown = |byte| is_printable(byte) & !is_special(byte);
    // A shortened text ends with an ellipsis, which is shown as it is behind a word.
    let shortened = text.strip_suffix('…').filter(|start| !start.is_empty());
    let is_plain = is_line_of(shortened.unwrap_or(text), is_shown);
    if is_plain {
        target.push_str(text);
    } else {
        push_visible(target, &one_line(text));
    }
    is_plain
}

/// Appends the content of an XML element on one line, as [`push_xml_line`], in front of `: `. The
/// text itself has no colon before a blank, so that a reader finds its end.
pub fn push_xml_label(target: &mut String, text: &str) {
    push_without(target, text, ": ", "&#58; ");
}

/// Appends the content of an XML element on one line, as [`push_xml_line`], between backticks. The
/// text itself has none.
pub fn push_xml_code(target: &mut String, text: &str) {
    push_without(target, text, "`", "&#96;");
}

/// Appends a line in which `entity` stands for `part`.
fn push_without(target: &mut String, text: &str, part: &str, entity: &str) {
    let start = target.len();
    push_xml_line(target, text);
    if target[start..].contains(part) {
        let encoded = target[start..].replace(part, entity);
        target.truncate(start);
        target.push_str(&encoded);
    }
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
    if !bytes::any(text.as_bytes(), is_special) {
        return Cow::Borrowed(text);
    }
    let mut encoded = String::with_capacity(text.len() + 16);
    push_xml_entities(&mut encoded, text);
    Cow::Owned(encoded)
}

fn push_xml_entities(target: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = bytes::position(rest.as_bytes(), is_special) {
        target.push_str(&rest[..at]);
        target.push_str(entity(rest.as_bytes()[at]));
        rest = &rest[at + 1..];
    }
    target.push_str(rest);
}

/// Returns whether a byte is a character with a meaning in XML.
fn is_special(byte: u8) -> bool {
    // Without branches, for the tests of many bytes at once. Two pairs differ in one bit each.
    const QUOTE_TO_AMPERSAND: u8 = b'"' ^ b'&';
    const LESS_TO_GREATER: u8 = b'<' ^ b'>';
    (byte | QUOTE_TO_AMPERSAND == b'&') | (byte | LESS_TO_GREATER == b'>') | (byte == b'\'')
}

/// Returns the entity of a character with a meaning in XML.
fn entity(byte: u8) -> &'static str {
    match byte {
        b'&' => "&amp;",
        b'<' => "&lt;",
        b'>' => "&gt;",
        b'"' => "&quot;",
        _ => "&#x27;",
    }
}
