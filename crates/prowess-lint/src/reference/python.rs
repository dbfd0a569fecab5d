//! The parts of Python that the tool's output shows.

use std::fmt::Write as _;

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Frontmatter as the tool holds it: texts only, whatever they look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Data>),
    /// A mapping in the order of the file.
    Map(Vec<(String, Data)>),
}

impl Data {
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Python's `str()`.
    pub(crate) fn to_str(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            _ => self.to_repr(),
        }
    }

    fn to_repr(&self) -> String {
        match self {
            Self::Text(text) => repr(text),
            Self::List(items) => {
                let items: Vec<_> = items.iter().map(Self::to_repr).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Map(pairs) => {
                let pair =
                    |(key, value): &(String, Self)| format!("{}: {}", repr(key), value.to_repr());
                let pairs: Vec<_> = pairs.iter().map(pair).collect();
                format!("{{{}}}", pairs.join(", "))
            }
        }
    }

    /// `json.dumps(…, indent=2)`, the lines after the first indented by `indentation`.
    pub(crate) fn write_json(&self, indentation: usize, json: &mut String) {
        match self {
            Self::Text(text) => write_json_text(text, json),
            Self::List(items) => {
                let write = |item: &Self, json: &mut String| item.write_json(indentation + 2, json);
                write_json_block(('[', ']'), items, indentation, json, write);
            }
            Self::Map(pairs) => {
                let write = |(key, value): &(String, Self), json: &mut String| {
                    write_json_text(key, json);
                    json.push_str(": ");
                    value.write_json(indentation + 2, json);
                };
                write_json_block(('{', '}'), pairs, indentation, json, write);
            }
        }
    }
}

fn write_json_block<T>(
    (open, close): (char, char),
    items: &[T],
    indentation: usize,
    json: &mut String,
    write: impl Fn(&T, &mut String),
) {
    json.push(open);
    for (number, item) in items.iter().enumerate() {
        json.push_str(if number > 0 { ",\n" } else { "\n" });
        json.extend(std::iter::repeat_n(' ', indentation + 2));
        write(item, json);
    }
    if !items.is_empty() {
        json.push('\n');
        json.extend(std::iter::repeat_n(' ', indentation));
    }
    json.push(close);
}

fn write_json_text(text: &str, json: &mut String) {
    json.push('"');
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            '\u{8}' => json.push_str("\\b"),
            '\u{c}' => json.push_str("\\f"),
            ' '..='~' => json.push(character),
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    // Writing to a text cannot fail.
                    let _ = write!(json, "\\u{unit:04x}");
                }
            }
        }
    }
    json.push('"');
}

/// Python's `repr()` of a text.
pub(crate) fn repr(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut shown = String::from(quote);
    for character in text.chars() {
        match character {
            '\\' => shown.push_str("\\\\"),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            _ if character == quote => shown.extend(['\\', quote]),
            _ if is_printable(character) => shown.push(character),
            _ => {
                let code = u32::from(character);
                let _ = match code {
                    0..=0xff => write!(shown, "\\x{code:02x}"),
                    0x100..=0xffff => write!(shown, "\\u{code:04x}"),
                    _ => write!(shown, "\\U{code:08x}"),
                };
            }
        }
    }
    shown.push(quote);
    shown
}

fn is_printable(character: char) -> bool {
    let group = character.general_category_group();
    let is_blank = group == GeneralCategoryGroup::Separator && character != ' ';
    group != GeneralCategoryGroup::Other && !is_blank
}

/// Python's `str.isalnum()` of one character.
pub(crate) fn is_alphanumeric(character: char) -> bool {
    let category = character.general_category();
    character.general_category_group() == GeneralCategoryGroup::Letter
        || matches!(
            category,
            GeneralCategory::DecimalNumber
                | GeneralCategory::LetterNumber
                | GeneralCategory::OtherNumber
        )
}

/// Python's `str.strip()`, which also takes the information separators for blanks.
pub(crate) fn strip(text: &str) -> &str {
    text.trim_matches(|character: char| {
        character.is_whitespace() || matches!(character, '\u{1c}'..='\u{1f}')
    })
}
