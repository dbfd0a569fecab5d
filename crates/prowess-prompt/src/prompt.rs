//! The composed prompt, and its parts next to the text.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;

use crate::entry_lines::EntryLines;
use crate::{CatalogFormat, Ledger, SkillIds};

/// A composed prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Prompt {
    /// The text for the model's instructions; empty without skills.
    pub text: String,
    /// The catalog as a block of context next to the instructions, if that is its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextBlock>,
    /// The catalog for the description of a tool, if that is its place. See
    /// [`tool_description`](crate::tool_description()).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listing: Option<Arc<str>>,
    /// The cost of the text and of a catalog next to it, and the changes to skills' texts.
    pub ledger: Ledger,
    /// The ids in the catalog, wherever it is, in its order.
    pub shown: Arc<SkillIds>,
    /// The number of skills that the input's catalog offers.
    pub total: usize,
    /// Whether the budget has shortened descriptions or left out skills.
    pub is_cut: bool,
    /// The changes of the catalog since its text was written, if the text has a notice of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<Arc<CatalogNotice>>,
    /// The entries of the catalog, wherever it is.
    #[serde(skip)]
    pub(crate) entries: Arc<EntryLines>,
}

impl Prompt {
    /// Iterates over the shown ids with their entries in the catalog; over none if the catalog has
    /// no text, since a model calls a tool for it.
    pub(crate) fn shown_entries(&self) -> impl Iterator<Item = (&str, &str)> {
        let context = self.context.as_ref().map(|block| &*block.text);
        let text = context.or(self.listing.as_deref()).unwrap_or(&self.text);
        self.shown.iter().zip(self.entries.ranges(text.len()).map(|range| &text[range]))
    }

    /// Returns the listing with its entries in the order of a key of their ids. A listing with
    /// separators between its entries stays as it is.
    pub fn listing_by<K: Ord>(&self, key: impl Fn(&str) -> K) -> Option<String> {
        let listing = self.listing.as_deref()?;
        let ranges: Vec<_> = self.entries.ranges(listing.len()).collect();
        let (start, end) = match (ranges.first(), ranges.last()) {
            (Some(first), Some(last)) if self.entries.format() != CatalogFormat::Delimited => {
                (first.start, last.end)
            }
            _ => return Some(listing.to_owned()),
        };
        let entries = ranges.iter().map(|range| listing[range.clone()].trim_end_matches('\n'));
        let mut entries: Vec<_> = self.shown.iter().zip(entries).collect();
        entries.sort_by_key(|(id, _)| key(id));
        let lines: Vec<_> = entries.into_iter().map(|(_, entry)| entry).collect();
        let line_feed = if listing[..end].ends_with('\n') { "\n" } else { "" };
        Some([&listing[..start], &lines.join("\n"), line_feed, &listing[end..]].concat())
    }

    /// Returns the prompt with another text. Copies no text.
    pub(crate) fn with_text(&self, text: String) -> Self {
        Self {
            text,
            context: self.context.clone(),
            listing: self.listing.clone(),
            ledger: self.ledger.clone(),
            shown: Arc::clone(&self.shown),
            total: self.total,
            is_cut: self.is_cut,
            notice: self.notice.clone(),
            entries: Arc::clone(&self.entries),
        }
    }

    /// Returns the text with the block of context behind it, for a host with one place for both.
    pub fn whole_text(&self) -> Cow<'_, str> {
        match &self.context {
            None => Cow::Borrowed(&self.text),
            Some(block) if self.text.is_empty() => Cow::Owned(format!("{}\n", block.text)),
            Some(block) => Cow::Owned(format!("{}\n{}\n", self.text, block.text)),
        }
    }
}

/// A block of context with its position among others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ContextBlock {
    /// Blocks of lower priority are in front: by the convention of the hosts that have such blocks,
    /// the context of a channel is at 0 and memory at 100.
    pub priority: u16,
    /// The text, without a final line break.
    pub text: Arc<str>,
}

/// Joins blocks of context in the order of their priorities, with a blank line between them. Blocks
/// of one priority stay in their order, and empty ones are left out.
pub fn compose_context(blocks: impl IntoIterator<Item = ContextBlock>) -> String {
    let mut blocks: Vec<_> = blocks.into_iter().filter(|block| !block.text.is_empty()).collect();
    blocks.sort_by_key(|block| block.priority);
    let texts: Vec<_> = blocks.iter().map(|block| &*block.text).collect();
    texts.join("\n\n")
}

/// The changes of a catalog since the text that a prompt repeats was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CatalogNotice {
    /// The ids of skills that were added. The notice has their entries.
    pub added: SkillIds,
    /// The ids of skills whose entries have changed. The notice has their new entries.
    pub changed: SkillIds,
    /// The ids of skills that the catalog's text shows and that are no longer offered.
    pub removed: SkillIds,
    /// The notice for the model.
    #[serde(skip)]
    pub(crate) text: String,
}
