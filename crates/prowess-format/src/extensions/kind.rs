//! The kinds of values of declared fields.

use std::ops::RangeInclusive;

/// The type of a declared field. Nothing at all (`key:`) fits each.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldKind {
    /// Any value.
    Any,
    /// A text that other readers of YAML take for a text too.
    Text,
    /// Such a text, not blank.
    Filled,
    /// A word of letters, digits and `_` that does not begin with a digit.
    Identifier,
    /// `true` or `false`.
    Bool,
    /// A whole number of this range.
    Integer(RangeInclusive<i64>),
    /// One of these words.
    Word(Vec<String>),
    /// A relative path with `/` that stays in the package.
    PackagePath,
    /// A list.
    List(Box<FieldKind>),
    /// A list, or one text of items with blanks or commas between them.
    Listing(Box<FieldKind>),
    /// A list of mappings, no two with the same value of this key.
    Unique(String, Box<FieldKind>),
    /// A mapping with these keys and no other.
    Record(Vec<(String, FieldKind)>),
    /// A mapping with these keys and any other.
    OpenRecord(Vec<(String, FieldKind)>),
    /// One of these; a value that matches none is reported for the most similar.
    Either(Vec<FieldKind>),
}

impl FieldKind {
    /// A text that is not blank.
    pub fn filled() -> Self {
        Self::Filled
    }

    /// One of these words.
    pub fn word(words: &[&str]) -> Self {
        Self::Word(words.iter().map(|word| (*word).to_owned()).collect())
    }

    /// Any whole number.
    pub fn integer() -> Self {
        Self::Integer(i64::MIN..=i64::MAX)
    }

    /// A list of texts that are not blank.
    pub fn texts() -> Self {
        Self::List(Box::new(Self::Filled))
    }

    /// A list of texts, or one text with blanks or commas between them.
    pub fn listing() -> Self {
        Self::Listing(Box::new(Self::Filled))
    }

    /// A mapping with these keys and no other.
    pub fn record(fields: &[(&str, Self)]) -> Self {
        Self::Record(owned(fields))
    }

    /// A mapping with these keys, which may have others.
    pub fn open_record(fields: &[(&str, Self)]) -> Self {
        Self::OpenRecord(owned(fields))
    }

    /// Returns whether any text may be a value.
    pub(crate) fn takes_text(&self) -> bool {
        match self {
            Self::Any | Self::Text | Self::Filled => true,
            Self::Either(kinds) => kinds.iter().any(Self::takes_text),
            _ => false,
        }
    }

    /// Describes the kind in a message.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Any => "anything".to_owned(),
            Self::Text | Self::Filled => "a text".to_owned(),
            Self::Identifier => "a word".to_owned(),
            Self::Bool => "`true` or `false`".to_owned(),
            Self::Integer(_) => "a whole number".to_owned(),
            Self::Word(words) => format!("one of `{}`", words.join("`, `")),
            Self::PackagePath => "a path in the package".to_owned(),
            Self::List(_) | Self::Unique(..) => "a list".to_owned(),
            Self::Listing(_) => "a text or a list".to_owned(),
            Self::Record(_) | Self::OpenRecord(_) => "a mapping".to_owned(),
            Self::Either(kinds) => {
                let kinds: Vec<_> = kinds.iter().map(Self::describe).collect();
                kinds.join(" or ")
            }
        }
    }
}

fn owned(fields: &[(&str, FieldKind)]) -> Vec<(String, FieldKind)> {
    fields.iter().map(|(key, kind)| ((*key).to_owned(), kind.clone())).collect()
}
