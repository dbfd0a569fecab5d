//! Messages that a model reads.

use std::borrow::Cow;

use serde_json::Value;

use crate::bytes;
use crate::guard::with_brackets;
use crate::invisible::is_printable;
use crate::lines::{one_line, visible_lines};
use crate::{Boundary, xml_attribute};

/// Replaces the bracket of a guarded tag.
const ENTITY: &str = "&lt;";

/// Encodes a body for a model's message: without invisible characters, without the boundary, and
/// with the bracket of each guarded tag as an entity.
///
/// Bodies are Markdown with code in it: if every `<` and `&` were encoded, a model would copy the
/// entities into the files that it writes. So only a bracket that opens one of
/// [`GUARDED_TAGS`](crate::GUARDED_TAGS), or seems to, is changed; `<skill-dir>`, `<T>` and `a < b`
/// stay.
pub fn model_body<'t>(text: &'t str, boundary: &Boundary) -> Cow<'t, str> {
    match guarded(text) {
        Cow::Borrowed(text) => without_boundary(text, boundary),
        Cow::Owned(text) => Cow::Owned(without_boundary(&text, boundary).into_owned()),
    }
}

/// Appends a description in a list of lines that is no XML: on one line, as [`one_line`], with the
/// bracket of each guarded tag as an entity. Quotes, `&` and other brackets stay, as in a body.
pub fn push_model_line(target: &mut String, text: &str) {
    target.push_str(&with_brackets(&one_line(text), ENTITY));
}

/// Returns a text without invisible characters and without guarded tags.
pub(crate) fn guarded(text: &str) -> Cow<'_, str> {
    // Most strings of a result are plain, and a result has dozens of them.
    let is_shown = |byte| (is_printable(byte) | (byte == b'\n')) & (byte != b'<');
    if !bytes::any(text.as_bytes(), |byte| !is_shown(byte)) {
        return Cow::Borrowed(text);
    }
    match visible_lines(text) {
        Cow::Borrowed(text) => with_brackets(text, ENTITY),
        Cow::Owned(text) => Cow::Owned(with_brackets(&text, ENTITY).into_owned()),
    }
}

/// A body contains the boundary only if it was written during this conversation, such as by a model
/// that copied its own input into a file.
fn without_boundary<'t>(text: &'t str, boundary: &Boundary) -> Cow<'t, str> {
    let secret = boundary.as_str();
    if secret.is_empty() || !text.contains(secret) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace(secret, "…"))
}

/// Wraps an encoded body in tags that hold the boundary: the content begins on a line of its own
/// and ends before the closing tag.
///
/// ```
/// use prowess_text::{Boundary, wrap_body};
///
/// let boundary = Boundary::new("5f3a9c1e77b04d28");
/// let text = wrap_body("skill_content", &[("name", "pdf")], "# PDF\n", &boundary);
/// assert_eq!(
///     text,
///     "<skill_content-5f3a9c1e77b04d28 name=\"pdf\">\n# PDF\n</skill_content-5f3a9c1e77b04d28>"
/// );
/// ```
pub fn wrap_body(
    tag: &str,
    attributes: &[(&str, &str)],
    content: &str,
    boundary: &Boundary,
) -> String {
    let tag = boundary.tag(tag);
    let mut text = format!("<{tag}");
    for (name, value) in attributes {
        text.push_str(&format!(" {name}=\"{}\"", xml_attribute(value)));
    }
    text.push_str(">\n");
    text.push_str(content);
    if !content.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&format!("</{tag}>"));
    text
}

/// Encodes every string and key of a JSON value for a model: without invisible characters and
/// without guarded tags.
pub fn model_value(value: &mut Value) {
    match value {
        Value::String(text) => clean(text),
        Value::Array(items) => items.iter_mut().for_each(model_value),
        Value::Object(fields) => {
            fields.values_mut().for_each(model_value);
            if fields.keys().any(|key| matches!(guarded(key), Cow::Owned(_))) {
                let written = std::mem::take(fields);
                *fields = written
                    .into_iter()
                    .map(|(key, value)| (guarded(&key).into_owned(), value))
                    .collect();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn clean(text: &mut String) {
    if let Cow::Owned(safe) = guarded(text) {
        *text = safe;
    }
}
