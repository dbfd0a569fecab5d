//! The content to write, checked against the limits of reading.

use std::collections::HashSet;

use crate::fields::Known;
use crate::for_message;
use crate::yaml::{MAX_DEPTH, MAX_NODES, Node, NodeValue, Pair};
use crate::{Field, Mapping, Value};

use super::scalar::is_taken_for_other;
use crate::error::WriteError;

/// A value on its way to text.
pub(super) enum Content<'a> {
    /// A text that each reader must take for a text.
    Text(&'a str),
    /// A number, a truth value or nothing, as its author wrote it.
    Bare(&'a str),
    List(Vec<Self>),
    Map(Vec<(&'a str, Self)>),
}

/// Where a field stands: those of the specification first, in its order.
pub(super) fn rank(key: &str) -> usize {
    Known::of(key).filter(|known| known.is_specified()).map_or(usize::MAX, |known| known as usize)
}

/// The fields of a program or of a document, all of whose texts are texts.
pub(super) fn of_fields(fields: &Mapping) -> Result<Vec<(&str, Content<'_>)>, WriteError> {
    Bounds::default().map(fields.iter().map(|Field { key, value, .. }| (key.as_str(), value)))
}

/// The fields of a file, whose bare values stay bare where the specification asks for no text.
pub(super) fn of_pairs<'a>(
    pairs: &'a [Pair<'_>],
) -> Result<Vec<(&'a str, Content<'a>)>, WriteError> {
    let mut fields = Bounds::default().map(entries(pairs))?;
    for (key, value) in &mut fields {
        if let Content::Bare(text) = value
            && rank(key) != usize::MAX
        {
            *value = Content::Text(text);
        }
    }
    Ok(fields)
}

fn entries<'a>(pairs: &'a [Pair<'_>]) -> impl Iterator<Item = (&'a str, &'a NodeValue<'a>)> {
    pairs.iter().map(|Pair { key, value: Node { value, .. }, .. }| (&**key, value))
}

/// A value of either tree.
trait Source<'a>: Copy {
    fn content(self, bounds: &mut Bounds<'a>) -> Result<Content<'a>, WriteError>;
}

impl<'a> Source<'a> for &'a Value {
    fn content(self, bounds: &mut Bounds<'a>) -> Result<Content<'a>, WriteError> {
        match self {
            Value::Text(text) => bounds.text(text).map(Content::Text),
            Value::List(items) => bounds.list(items.iter()),
            Value::Map(map) => bounds
                .map(map.iter().map(|Field { key, value, .. }| (key.as_str(), value)))
                .map(Content::Map),
        }
    }
}

impl<'a> Source<'a> for &'a NodeValue<'a> {
    fn content(self, bounds: &mut Bounds<'a>) -> Result<Content<'a>, WriteError> {
        match self {
            NodeValue::Text { text, is_plain: true } if is_bare(text) => {
                bounds.text(text).map(Content::Bare)
            }
            NodeValue::Text { text, .. } => bounds.text(text).map(Content::Text),
            NodeValue::List(items) => bounds.list(items.iter().map(|item| &item.value)),
            NodeValue::Map(pairs) => bounds.map(entries(pairs)).map(Content::Map),
        }
    }
}

/// Whether a plain scalar is something else than a text to most readers. Those that are not of
/// plain ASCII or have blanks are no numbers, whatever else they look like; neither is what ends in
/// a colon, which reading fixes and writing must quote.
fn is_bare(text: &str) -> bool {
    let is_ascii = text.bytes().all(|byte| byte.is_ascii_graphic());
    text.is_empty() || (is_taken_for_other(text) && is_ascii && !text.ends_with(':'))
}

/// Counts what reading counts, and refuses what reading would.
#[derive(Default)]
struct Bounds<'a> {
    depth: usize,
    nodes: usize,
    /// The key that is being written, for messages.
    key: &'a str,
}

impl<'a> Bounds<'a> {
    fn text(&mut self, text: &'a str) -> Result<&'a str, WriteError> {
        self.count()?;
        if text.contains('\0') {
            return Err(WriteError::NulCharacter(for_message(self.key)));
        }
        Ok(text)
    }

    fn list(
        &mut self,
        items: impl Iterator<Item = impl Source<'a>>,
    ) -> Result<Content<'a>, WriteError> {
        self.enter()?;
        let items = items.map(|item| item.content(self)).collect::<Result<_, _>>()?;
        self.depth -= 1;
        Ok(Content::List(items))
    }

    fn map(
        &mut self,
        entries: impl Iterator<Item = (&'a str, impl Source<'a>)>,
    ) -> Result<Vec<(&'a str, Content<'a>)>, WriteError> {
        self.enter()?;
        let mut keys = HashSet::new();
        let mut fields = Vec::new();
        for (key, value) in entries {
            self.key = key;
            self.text(key)?;
            if !keys.insert(key) {
                return Err(WriteError::DuplicateKey(for_message(key)));
            }
            fields.push((key, value.content(self)?));
        }
        self.depth -= 1;
        Ok(fields)
    }

    fn enter(&mut self) -> Result<(), WriteError> {
        self.count()?;
        if self.depth == MAX_DEPTH {
            return Err(WriteError::TooDeep);
        }
        self.depth += 1;
        Ok(())
    }

    fn count(&mut self) -> Result<(), WriteError> {
        self.nodes += 1;
        if self.nodes > MAX_NODES { Err(WriteError::TooManyNodes) } else { Ok(()) }
    }
}
