//! Edits of files that people write: one value is set, and no other byte changes.
//!
//! Each format finds the place of a key by its text. The result counts only if a parser of the
//! format reads the same values from it, and the new one: what is not understood is refused.

mod json;
mod toml;
mod yaml;

use serde_json::{Map, Value};

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TextFormat {
    /// JSON, with comments and trailing commas, and most of JSON5.
    Json,
    Toml,
    Yaml,
}

/// The reason why a text is not edited.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) message: String,
    /// The byte of the text that it is about.
    pub(crate) at: usize,
}

impl Fault {
    fn new(at: usize, message: impl Into<String>) -> Self {
        Self { message: message.into(), at }
    }

    /// Returns the line and the column, which is counted in characters; both begin at 1.
    pub(crate) fn position(&self, text: &str) -> (usize, usize) {
        let before = &text[..text.floor_char_boundary(self.at)];
        let line = before.rsplit('\n').next().unwrap_or_default();
        (before.matches('\n').count() + 1, line.chars().count() + 1)
    }
}

/// A replacement of a range of bytes.
struct Change(std::ops::Range<usize>, String);

/// The mark that some editors put before a text.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Returns the values of a text; an empty one has none.
pub(crate) fn read(format: TextFormat, text: &str) -> Result<Value, Fault> {
    let bare = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let value = match format {
        TextFormat::Json => json::read(bare),
        TextFormat::Toml => toml::read(bare),
        TextFormat::Yaml => yaml::read(bare),
    };
    let empty = Value::Object(Map::new());
    value
        .map(|value| if value.is_null() { empty } else { value })
        .map_err(|fault| Fault { at: fault.at + text.len() - bare.len(), ..fault })
}

/// Returns the text with a value at a path of keys. Missing tables are created, and what is there
/// already is replaced.
pub(crate) fn set(
    format: TextFormat,
    text: &str,
    path: &[&str],
    value: &Value,
) -> Result<String, Fault> {
    let mut expected = read(format, text)?;
    place(&mut expected, path, value)?;
    let bare = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let mark = text.len() - bare.len();
    let changes = match format {
        TextFormat::Json => json::set(bare, path, value),
        TextFormat::Toml => toml::set(bare, path, value),
        TextFormat::Yaml => yaml::set(bare, path, value),
    };
    let mut changes = changes.map_err(|fault| Fault { at: fault.at + mark, ..fault })?;
    let start = mark + changes.first().map_or(0, |Change(range, _)| range.start);
    let mut edited = text.to_owned();
    changes.sort_by_key(|Change(range, _)| range.start);
    for Change(range, new) in changes.into_iter().rev() {
        edited.replace_range(range.start + mark..range.end + mark, &new);
    }
    if read(format, &edited).is_ok_and(|found| found == expected) {
        return Ok(edited);
    }
    let message = format!("`{}` cannot be set here without changing more", path.join("."));
    Err(Fault::new(start, message))
}

/// Sets a value in a tree.
fn place(tree: &mut Value, path: &[&str], value: &Value) -> Result<(), Fault> {
    let Some((key, rest)) = path.split_first() else {
        *tree = value.clone();
        return Ok(());
    };
    if tree.is_null() {
        *tree = Value::Object(Map::new());
    }
    let Value::Object(map) = tree else {
        return Err(Fault::new(
            0,
            format!("`{key}` cannot be set: what it belongs to is no table"),
        ));
    };
    place(map.entry(*key).or_insert(Value::Null), rest, value)
}

/// Returns a value on one line, as JSON with spaces, which TOML and YAML read too.
fn inline(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", "))
        }
        Value::Object(map) => {
            let pair = |(key, value)| format!("{}: {}", inline(&Value::from(key)), inline(value));
            let pairs = map.iter().map(|(key, value): (&String, _)| pair((key.as_str(), value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        _ => value.to_string(),
    }
}

/// Returns the line end that a text uses.
fn line_end(text: &str) -> &'static str {
    let first = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
    if first { "\r\n" } else { "\n" }
}

/// Returns the blanks at the start of the line of this byte, up to the byte.
fn indentation(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

#[cfg(test)]
mod tests;
