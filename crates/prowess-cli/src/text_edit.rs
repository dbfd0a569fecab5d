//! Edits of files that people write: one value is set, and no other byte changes.
//!
//! Each format finds the place of a key by its text. The result counts only if a parser of the
//! format reads the same values from it, and the new one: what is not understood is refused.

mod array;
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
    let (bare, mark) = bare(text);
    let value = match format {
        TextFormat::Json => json::read(bare),
        TextFormat::Toml => toml::read(bare),
        TextFormat::Yaml => yaml::read(bare),
    };
    let empty = Value::Object(Map::new());
    value
        .map(|value| if value.is_null() { empty } else { value })
        .map_err(|fault| Fault { at: fault.at + mark, ..fault })
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
    let (bare, mark) = bare(text);
    let changes = match format {
        TextFormat::Json => json::set(bare, path, value),
        TextFormat::Toml => toml::set(bare, path, value),
        TextFormat::Yaml => yaml::set(bare, path, value),
    };
    let changes = changes.map_err(|fault| Fault { at: fault.at + mark, ..fault })?;
    changed(format, text, changes, &expected, path)
}

/// Returns the text without a key; `None` if the key is not in it. Mappings that would be empty
/// then go with it if [`set`] has made them: if it would make the same text again.
pub(crate) fn unset(
    format: TextFormat,
    text: &str,
    path: &[&str],
) -> Result<Option<String>, Fault> {
    let values = read(format, text)?;
    let at = |keys: &[&str]| keys.iter().try_fold(&values, |value, key| value.get(key));
    let Some(old) = at(path) else { return Ok(None) };
    let is_alone =
        |keys: &[&str]| at(keys).and_then(Value::as_object).is_some_and(|it| it.len() == 1);
    let outermost = (1..path.len()).rev().take_while(|length| is_alone(&path[..*length])).last();
    let mut last = None;
    let mut least = None;
    for length in outermost.unwrap_or(path.len())..=path.len() {
        match without(format, text, &path[..length], path) {
            Ok(found) if set_each(format, &found, path, old).is_ok_and(|again| again == text) => {
                return Ok(Some(found));
            }
            Ok(found) => least = Some(found),
            Err(fault) => last = Some(fault),
        }
    }
    least.map(|found| Ok(Some(found))).or(last.map(Err)).unwrap_or(Ok(None))
}

/// Sets a value, an entry with several keys by one after the other.
fn set_each(format: TextFormat, text: &str, path: &[&str], value: &Value) -> Result<String, Fault> {
    let Some(members) = value.as_object() else { return set(format, text, path, value) };
    members.iter().try_fold(text.to_owned(), |text, (key, value)| {
        set(format, &text, &[path, &[key]].concat(), value)
    })
}

/// Returns the text without the value at `keys`, which holds nothing but that at `path`.
fn without(format: TextFormat, text: &str, keys: &[&str], path: &[&str]) -> Result<String, Fault> {
    let mut expected = read(format, text)?;
    if let Some((last, parents)) = keys.split_last()
        && let Some(parent) =
            parents.iter().try_fold(&mut expected, |value, key| value.get_mut(key))
        && let Some(parent) = parent.as_object_mut()
    {
        parent.remove(*last);
    }
    let (bare, mark) = bare(text);
    let changes = match format {
        TextFormat::Json => json::unset(bare, keys),
        TextFormat::Toml => toml::unset(bare, keys, path),
        TextFormat::Yaml => yaml::unset(bare, keys),
    };
    let changes = changes.map_err(|fault| Fault { at: fault.at + mark, ..fault })?;
    changed(format, text, changes, &expected, path)
}

/// Returns the line and the column at which a file of YAML sets a key, if it is understood.
pub(crate) fn position(text: &str, path: &[&str]) -> Option<(usize, usize)> {
    let (bare, mark) = bare(text);
    Some(Fault::new(yaml::position(bare, path)? + mark, "").position(text))
}

/// Returns the text without the mark at its start, and the length of the mark.
fn bare(text: &str) -> (&str, usize) {
    let bare = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    (bare, text.len() - bare.len())
}

/// Makes the changes, and checks that they lead to these values.
fn changed(
    format: TextFormat,
    text: &str,
    mut changes: Vec<Change>,
    expected: &Value,
    path: &[&str],
) -> Result<String, Fault> {
    let mark = bare(text).1;
    let start = mark + changes.first().map_or(0, |Change(range, _)| range.start);
    let mut edited = text.to_owned();
    changes.sort_by_key(|Change(range, _)| range.start);
    for Change(range, new) in changes.into_iter().rev() {
        edited.replace_range(range.start + mark..range.end + mark, &new);
    }
    if read(format, &edited).is_ok_and(|found| found == *expected) {
        return Ok(edited);
    }
    let message = format!("`{}` cannot be changed here without changing more", path.join("."));
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

/// Returns a value of YAML on one line, a text without quotes if it stays a text, and so a list of
/// such texts.
fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => text.clone(),
        Value::Array(items) if items.iter().all(|item| item.as_str().is_some_and(is_plain)) => {
            format!("[{}]", items.iter().map(scalar).collect::<Vec<_>>().join(", "))
        }
        _ => inline(value),
    }
}

/// Returns whether YAML reads a text without quotes as the same text.
fn is_plain(text: &str) -> bool {
    // Old readers take these for true and false.
    const WORDS: [&str; 6] = ["y", "n", "yes", "no", "on", "off"];
    let is_bare = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(is_bare)
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
        && serde_yaml::from_str::<Value>(text).is_ok_and(|read| read == *text)
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
