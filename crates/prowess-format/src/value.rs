//! Frontmatter as it was written: text, lists and mappings, in order.

use std::borrow::Cow;
use std::ops::Range;

use serde::ser::{Serialize, SerializeMap, Serializer};

/// A YAML value by the failsafe schema: a scalar keeps its source text, so `1.10`, `no` and `null`
/// are the texts that the author typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Any scalar. An empty value (`key:`) is the empty text.
    Text(String),
    /// A sequence.
    List(Vec<Value>),
    /// A mapping.
    Map(Mapping),
}

/// A mapping with its keys in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping(pub Vec<Field>);

/// One key of a mapping with its value.
#[derive(Clone, Debug)]
pub struct Field {
    /// The key's text.
    pub key: String,
    /// Bytes of the file that the key stands on.
    pub key_span: Range<usize>,
    /// The value.
    pub value: Value,
    /// Bytes of the file that the value stands on; empty, after the colon, where there is none.
    pub value_span: Range<usize>,
}

/// Fields are equal when they say the same; where they stand does not matter.
impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.value == other.value
    }
}

impl Eq for Field {}

impl Value {
    /// The text of a scalar.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text of a scalar, and compact JSON of a list or a mapping.
    pub fn to_text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            // Writing texts, lists and mappings of texts to memory cannot fail.
            _ => Cow::Owned(serde_json::to_string(self).unwrap_or_default()),
        }
    }

    /// The items of a sequence.
    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// The fields of a mapping.
    pub fn as_map(&self) -> Option<&Mapping> {
        match self {
            Self::Map(mapping) => Some(mapping),
            _ => None,
        }
    }
}

impl Mapping {
    /// The field with this key, compared exactly.
    pub fn get(&self, key: &str) -> Option<&Field> {
        self.0.iter().find(|field| field.key == key)
    }

    /// The fields in the order of the file.
    pub fn iter(&self) -> std::slice::Iter<'_, Field> {
        self.0.iter()
    }

    /// Each key with its value as a text, in the order of the file, as the specification has it for
    /// `metadata`: a list or a mapping becomes compact JSON.
    ///
    /// ```
    /// use prowess_format::{Profile, parse};
    ///
    /// let text = b"---\nname: a\ndescription: b\n\
    ///     metadata:\n  n: 3\n  deep: {x: [1, no]}\n---\nGo.\n";
    /// let document = parse(text, Profile::Lenient).document.expect("no error");
    /// let texts: Vec<_> = document.frontmatter.metadata.texts().collect();
    /// assert_eq!(texts, [("n", "3".into()), ("deep", r#"{"x":["1","no"]}"#.into())]);
    /// ```
    pub fn texts(&self) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        self.iter().map(|field| (field.key.as_str(), field.value.to_text()))
    }

    /// Whether there is no field.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Value> for serde_json::Value {
    fn from(value: Value) -> Self {
        match value {
            Value::Text(text) => Self::String(text),
            Value::List(items) => items.into_iter().map(Self::from).collect(),
            Value::Map(mapping) => mapping.into(),
        }
    }
}

impl From<Mapping> for serde_json::Value {
    fn from(mapping: Mapping) -> Self {
        mapping.0.into_iter().map(|field| (field.key, Self::from(field.value))).collect()
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => items.serialize(serializer),
            Self::Map(mapping) => mapping.serialize(serializer),
        }
    }
}

impl Serialize for Mapping {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for field in &self.0 {
            map.serialize_entry(&field.key, &field.value)?;
        }
        map.end()
    }
}
