//! JSON text.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::guard::guarded_brackets;
use crate::invisible::{has_unclear, marked};

/// Appends a text as a JSON string that holds no tag: angle brackets are written as numbers, and so
/// is a bracket that looks like `<` and opens a guarded tag. A JSON parser reads the same value.
pub fn push_json_string(target: &mut String, text: &str) {
    let json = serde_json::Value::from(text).to_string();
    if json.is_ascii() && !json.contains(['<', '>']) {
        return target.push_str(&json);
    }
    let mut brackets = guarded_brackets(&json).map(|(start, _)| start).peekable();
    for (start, character) in json.char_indices() {
        let is_bracket = brackets.next_if_eq(&start).is_some();
        if is_bracket || matches!(character, '<' | '>') {
            push_escape(target, character);
        } else {
            target.push(character);
        }
    }
}

/// Makes serialised JSON safe to print on a terminal: each invisible character, such as a C1
/// control or a bidi override, and each blank but the space is written as `\uXXXX`. A JSON parser
/// reads the same value.
///
/// ```
/// use prowess_text::terminal_json;
///
/// assert_eq!(terminal_json("\"\u{9b}2J\u{e0041}\""), r#""\u009b2J\udb40\udc41""#);
/// ```
pub fn terminal_json(json: &str) -> Cow<'_, str> {
    if !has_unclear(json) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for marked in marked(json) {
        if marked.is_unclear() && marked.character != '\r' {
            // Outside of strings, JSON has no such character but the carriage return.
            push_escape(&mut escaped, marked.character);
        } else {
            escaped.push(marked.character);
        }
    }
    Cow::Owned(escaped)
}

fn push_escape(target: &mut String, character: char) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        let _ = write!(target, "\\u{unit:04x}");
    }
}
