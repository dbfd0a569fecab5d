//! The fields that reading looks at, in the one form that both scanners give.

use std::borrow::Cow;
use std::ops::Range;

use crate::findings::Findings;
use crate::for_message;
use crate::yaml::{Node, NodeValue, Pair};
use crate::{codes, repair, version};

/// A field that this crate knows. The number is its place in [`Fields`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    Name,
    Description,
    License,
    Compatibility,
    Metadata,
    AllowedTools,
    /// `allowed_tools`, which some clients write.
    AllowedToolsAlias,
    /// `tags` and `priority` are extensions that a catalog keeps.
    Tags,
    Priority,
}

const KNOWN: usize = 9;

/// The longest key of `metadata`, in characters.
pub(crate) const MAX_KEY: usize = 256;

impl Known {
    pub(crate) fn of(key: &str) -> Option<Self> {
        Some(match key {
            "name" => Self::Name,
            "description" => Self::Description,
            "license" => Self::License,
            "compatibility" => Self::Compatibility,
            "metadata" => Self::Metadata,
            "allowed-tools" => Self::AllowedTools,
            "allowed_tools" => Self::AllowedToolsAlias,
            "tags" => Self::Tags,
            "priority" => Self::Priority,
            _ => return None,
        })
    }

    /// Returns the text that a key in other letters is meant for, such as `Description`. Nothing is
    /// permitted or hidden by one.
    pub(crate) fn of_other_case(key: &str) -> Option<Self> {
        let texts = [Self::Name, Self::Description, Self::License, Self::Compatibility];
        let lower = (key.len() <= "compatibility".len()).then(|| key.to_ascii_lowercase())?;
        Self::of(&lower).filter(|known| lower != key && texts.contains(known))
    }

    /// Whether agentskills.io names the field.
    pub(crate) fn is_specified(self) -> bool {
        !matches!(self, Self::AllowedToolsAlias | Self::Tags | Self::Priority)
    }
}

/// A field with as much of its value as reading needs.
#[derive(Clone, Debug)]
pub(crate) struct Entry<'t> {
    pub(crate) key_span: Range<usize>,
    pub(crate) shape: Shape<'t>,
    pub(crate) value_span: Range<usize>,
}

/// A value, as far as reading needs it.
#[derive(Clone, Debug)]
pub(crate) enum Shape<'t> {
    Text {
        text: Cow<'t, str>,
        is_plain: bool,
    },
    /// The items that are texts; `None` for each that is not.
    List(Vec<Option<Cow<'t, str>>>),
    /// A mapping, with the shape of its `tags`, the text of its `version` and the place of the
    /// first key that is longer than [`MAX_KEY`] characters.
    Map {
        tags: Option<Box<Shape<'t>>>,
        version: Option<Cow<'t, str>>,
        long_key: Option<Range<usize>>,
    },
}

/// The key of a field that the specification does not name.
#[derive(Clone, Debug)]
pub(crate) struct ForeignKey<'t> {
    pub(crate) key: Cow<'t, str>,
    pub(crate) span: Range<usize>,
}

/// The top level of a frontmatter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields<'t> {
    known: [Option<Entry<'t>>; KNOWN],
    /// In the order of the file, `tags` and the other extensions included.
    pub(crate) foreign: Vec<ForeignKey<'t>>,
    /// Whether it is known that no text has a character beyond printable ASCII.
    pub(crate) is_printable_ascii: bool,
}

impl<'t> Fields<'t> {
    pub(crate) fn get(&self, known: Known) -> Option<&Entry<'t>> {
        self.known[known as usize].as_ref()
    }

    pub(crate) fn text(&self, known: Known) -> Option<&str> {
        match &self.get(known)?.shape {
            Shape::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Takes a text out, to keep it without a copy.
    pub(crate) fn take_text(&mut self, known: Known) -> Option<Cow<'t, str>> {
        match self.known[known as usize].take()?.shape {
            Shape::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    /// `metadata.version`, where it is one.
    pub(crate) fn version(&mut self) -> Option<Cow<'t, str>> {
        match &mut self.known[Known::Metadata as usize].as_mut()?.shape {
            Shape::Map { version, .. } => version::version(version.take()?),
            _ => None,
        }
    }

    pub(crate) fn set(&mut self, known: Known, entry: Entry<'t>) {
        self.known[known as usize] = Some(entry);
    }

    /// Reads what an author wrote as a text and YAML takes for a list or a mapping, because it
    /// begins with a bracket, as the text of its file.
    pub(crate) fn flow_as_text(&mut self, file: &'t str, findings: &mut Findings<'_>) {
        for known in [Known::Description, Known::License, Known::Compatibility] {
            if let Some(entry) = &mut self.known[known as usize] {
                entry.flow_as_text(file, known == Known::Description, findings);
            }
        }
    }

    /// Puts the texts that [`Self::flow_as_text`] fixed in the place of the lists and mappings that
    /// they were written as, so that rewriting the file keeps the text that was read.
    pub(crate) fn fix(&self, pairs: &mut [Pair<'t>]) {
        for known in [Known::Description, Known::License, Known::Compatibility] {
            let Some((entry, text)) = self.get(known).zip(self.text(known)) else { continue };
            let mut pairs = pairs.iter_mut();
            let Some(pair) = pairs.find(|pair| pair.key_span == entry.key_span) else { continue };
            if !matches!(pair.value.value, NodeValue::Text { .. }) {
                let text = Cow::Owned(text.to_owned());
                pair.value.value = NodeValue::Text { text, is_plain: false };
            }
        }
    }

    /// Sorts the pairs of a frontmatter's mapping. `repairs` takes the only key of a text in other
    /// letters for it.
    pub(crate) fn of(pairs: &[Pair<'t>], repairs: bool) -> Self {
        let mut fields = Self::default();
        for pair in pairs {
            let known = Known::of(&pair.key);
            if let Some(known) = known {
                fields.set(known, Entry::of(pair));
            }
            if !known.is_some_and(Known::is_specified) {
                fields
                    .foreign
                    .push(ForeignKey { key: pair.key.clone(), span: pair.key_span.clone() });
            }
        }
        for pair in pairs.iter().filter(|_| repairs) {
            let Some(known) = Known::of_other_case(&pair.key) else { continue };
            let is_it = |other: &&Pair<'_>| pair.key.eq_ignore_ascii_case(&other.key);
            if pairs.iter().filter(is_it).count() == 1 {
                fields.set(known, Entry::of(pair));
            }
        }
        fields
    }
}

impl<'t> Entry<'t> {
    fn of(pair: &Pair<'t>) -> Self {
        Self {
            key_span: pair.key_span.clone(),
            shape: Shape::of(&pair.value),
            value_span: pair.value.span.clone(),
        }
    }
}

impl<'t> Entry<'t> {
    fn flow_as_text(&mut self, file: &'t str, is_needed: bool, findings: &mut Findings<'_>) {
        let mut written = file.get(self.value_span.clone()).unwrap_or_default();
        // The first dash of a list that is not indented is before its place.
        let before = file.get(self.key_span.end..self.value_span.start).unwrap_or_default();
        if let (Shape::List(_), Some(at)) = (&self.shape, before.find("\n-")) {
            self.value_span.start = self.key_span.end + at + 1;
            written = &file[self.value_span.clone()];
        }
        let is_text = matches!(self.shape, Shape::Text { .. });
        let is_flow = written.starts_with(['[', '{']);
        // Without a description, there is no skill.
        let is_read = || is_flow || (is_needed && findings.rules().mends_fields());
        let is_empty = written.get(1..).is_none_or(|rest| rest.trim_start().len() <= 1);
        if is_text || (is_flow && is_empty) || !is_read() {
            return;
        }
        let start = self.value_span.start;
        findings.report(codes::FLOW_FOR_TEXT, start..start + 1, || {
            let key = &file[self.key_span.clone()];
            let line = format!("{key}: {}", repair::quoted(written));
            (
                repair::message(&codes::FLOW_FOR_TEXT).to_owned(),
                format!("quote the value: `{}`", for_message(&line)),
            )
        });
        let text = if written.contains('\n') {
            Cow::Owned(written.split_whitespace().collect::<Vec<_>>().join(" "))
        } else {
            Cow::Borrowed(written)
        };
        self.shape = Shape::Text { text, is_plain: false };
    }
}

impl<'t> Shape<'t> {
    fn of(node: &Node<'t>) -> Self {
        match &node.value {
            NodeValue::Text { text, is_plain } => {
                Self::Text { text: text.clone(), is_plain: *is_plain }
            }
            NodeValue::List(items) => Self::List(items.iter().map(item_text).collect()),
            NodeValue::Map(pairs) => Self::Map {
                tags: pairs
                    .iter()
                    .find(|pair| pair.key == "tags")
                    .map(|pair| Box::new(Self::of(&pair.value))),
                version: pairs
                    .iter()
                    .find(|pair| pair.key == "version")
                    .and_then(|pair| item_text(&pair.value)),
                long_key: pairs
                    .iter()
                    .find(|pair| pair.key.chars().count() > MAX_KEY)
                    .map(|pair| pair.key_span.clone()),
            },
        }
    }

    /// `list` or `mapping`, for messages about a value that should be a text.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Text { .. } => "text",
            Self::List(_) => "list",
            Self::Map { .. } => "mapping",
        }
    }
}

fn item_text<'t>(node: &Node<'t>) -> Option<Cow<'t, str>> {
    match &node.value {
        NodeValue::Text { text, .. } => Some(text.clone()),
        _ => None,
    }
}
