//! The cost of each part of a prompt, and the changes to its texts.

use std::sync::Arc;

use prowess_core::{TokenCounter, character_count};
use serde::Serialize;

use crate::{Block, Changes};

/// The cost of a prompt by part. The parts are the whole text and a catalog next to it: their
/// characters add up to both.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ledger {
    /// The parts in the order of the text.
    pub entries: Vec<LedgerEntry>,
    /// The sum of the parts' tokens. Each part is counted separately.
    pub tokens: usize,
    /// The sum of the parts' characters, which is the length of the text and of a catalog next to
    /// it.
    pub characters: usize,
    /// Whether `tokens` is exact for a vocabulary instead of an estimate.
    pub is_exact: bool,
    /// The texts that are not shown as they were written, in the order of the text.
    pub changes: Arc<Changes>,
    /// The pieces of the text, in its order.
    #[serde(skip)]
    pub(crate) pieces: Vec<Piece>,
}

/// A piece of a text: the index of its entry in the ledger, and where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) entry: usize,
    pub(crate) end: usize,
}

/// The cost of one part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LedgerEntry {
    /// The part.
    #[serde(flatten)]
    pub part: Part,
    /// The tokens in each call.
    pub tokens: usize,
    /// The number of characters.
    pub characters: usize,
}

/// A part of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "part", rename_all = "snake_case")]
pub enum Part {
    /// The rule that a skill is loaded before it is used.
    Rule,
    /// Another fixed text.
    Block {
        /// The block.
        block: Block,
    },
    /// The catalog.
    Catalog,
    /// The text around the loaded bodies.
    ActiveFrame,
    /// One loaded body in its tags.
    ActiveSkill {
        /// The skill's id.
        id: String,
    },
    /// The notice about changes of the catalog since its text was written.
    CatalogNotice,
    /// The list of loaded skills that have changed since.
    Changed,
}

impl From<Block> for Part {
    fn from(block: Block) -> Self {
        if block == Block::BaseRule { Self::Rule } else { Self::Block { block } }
    }
}

/// Builds a text part by part, together with its ledger.
pub(crate) struct Account<'a> {
    pub(crate) text: String,
    ledger: Ledger,
    counter: &'a dyn TokenCounter,
}

impl<'a> Account<'a> {
    pub(crate) fn new(counter: &'a dyn TokenCounter) -> Self {
        let ledger = Ledger { is_exact: counter.is_exact(), ..Ledger::default() };
        Self::continuing(String::new(), ledger, counter)
    }

    /// Continues the text that this ledger describes.
    pub(crate) fn continuing(text: String, ledger: Ledger, counter: &'a dyn TokenCounter) -> Self {
        Self { text, ledger, counter }
    }

    /// Returns the changes to skills' texts so far, for further ones.
    pub(crate) fn changes(&mut self) -> &mut Changes {
        Arc::make_mut(&mut self.ledger.changes)
    }

    /// Returns the text and its ledger.
    pub(crate) fn finish(self) -> (String, Ledger) {
        (self.text, self.ledger)
    }

    /// Appends text of a part. A part may be appended in several pieces.
    pub(crate) fn add(&mut self, part: Part, text: &str) {
        self.add_written(part, |whole| whole.push_str(text));
    }

    /// Appends the text that `write` writes, without a copy.
    pub(crate) fn add_written(&mut self, part: Part, write: impl FnOnce(&mut String)) {
        let start = self.text.len();
        write(&mut self.text);
        let written = &self.text[start..];
        let characters = character_count(written);
        let tokens = self.counter.count_characters(written, characters);
        let end = self.text.len();
        let entry = self.enter(part, tokens, characters);
        let pieces = &mut self.ledger.pieces;
        match pieces.last_mut().filter(|last| last.entry == entry) {
            Some(last) => last.end = end,
            None => pieces.push(Piece { entry, end }),
        }
    }

    /// Counts a part whose text is next to this one.
    pub(crate) fn add_elsewhere(&mut self, part: Part, text: &str) {
        self.enter(part, self.counter.count(text), character_count(text));
    }

    /// Adds to the entry of a part, and returns its index.
    fn enter(&mut self, part: Part, tokens: usize, characters: usize) -> usize {
        self.ledger.tokens += tokens;
        self.ledger.characters += characters;
        let entries = &mut self.ledger.entries;
        let known = entries.iter().position(|entry| entry.part == part);
        let index = known.unwrap_or_else(|| {
            entries.push(LedgerEntry { part, tokens: 0, characters: 0 });
            entries.len() - 1
        });
        entries[index].tokens += tokens;
        entries[index].characters += characters;
        index
    }
}
