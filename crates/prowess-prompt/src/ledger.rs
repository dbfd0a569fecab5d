//! What each part of a prompt costs, and what was done to its texts.

use prowess_core::TokenCounter;
use serde::Serialize;

/// The cost of a prompt by part. The parts are the whole text: their characters add up to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ledger {
    /// The parts in the order of the text.
    pub entries: Vec<LedgerEntry>,
    /// The sum of the parts' tokens. Each part is counted by itself.
    pub tokens: usize,
    /// The sum of the parts' characters, which is the length of the text.
    pub characters: usize,
    /// Whether `tokens` come from a vocabulary, not from an estimate.
    pub is_exact: bool,
    /// What is not shown as it was written, in the order of the text.
    pub changes: Vec<Change>,
}

/// One part's cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LedgerEntry {
    /// Which part.
    #[serde(flatten)]
    pub part: Part,
    /// What it costs in each call.
    pub tokens: usize,
    /// How long it is.
    pub characters: usize,
}

/// A part of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "part", rename_all = "snake_case")]
pub enum Part {
    /// The sentence that loading comes before use.
    Rule,
    /// Which skills there are.
    Catalog,
    /// What stands around the loaded bodies.
    ActiveFrame,
    /// One loaded body in its tags.
    ActiveSkill {
        /// The skill's id.
        id: String,
    },
    /// Which loaded skills have changed since.
    Changed,
}

/// Something that is not shown as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The skill's id.
    pub id: String,
    /// What was done.
    pub change: ChangeKind,
}

/// What was done to a skill's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// Its description is cut, to fit the budget.
    Shortened,
    /// It is left out, to fit the budget.
    Dropped,
    /// It is left out, because its id has characters that nobody could type from what is shown.
    Unnameable,
    /// Hidden characters of its description are removed, or a place that has them is not shown.
    Cleaned,
    /// Hidden characters of its body are removed.
    BodyCleaned,
    /// A tag in its body that looks like one of ours is escaped.
    BodyGuarded,
}

impl Change {
    pub(crate) fn new(id: &str, change: ChangeKind) -> Self {
        Self { id: id.to_owned(), change }
    }
}

/// Grows a text part by part and keeps its ledger.
pub(crate) struct Account<'a> {
    pub(crate) text: String,
    pub(crate) ledger: Ledger,
    counter: &'a dyn TokenCounter,
}

impl<'a> Account<'a> {
    pub(crate) fn new(counter: &'a dyn TokenCounter) -> Self {
        let ledger = Ledger { is_exact: counter.is_exact(), ..Ledger::default() };
        Self { text: String::new(), ledger, counter }
    }

    /// Appends text of a part; a part may come in pieces.
    pub(crate) fn add(&mut self, part: Part, text: &str) {
        self.add_written(part, |whole| whole.push_str(text));
    }

    /// Appends what `write` appends, which need not be copied from elsewhere.
    pub(crate) fn add_written(&mut self, part: Part, write: impl FnOnce(&mut String)) {
        let start = self.text.len();
        write(&mut self.text);
        let written = &self.text[start..];
        let tokens = self.counter.count(written);
        let characters = written.chars().count();
        self.ledger.tokens += tokens;
        self.ledger.characters += characters;
        let entries = &mut self.ledger.entries;
        match entries.iter_mut().find(|entry| entry.part == part) {
            Some(entry) => {
                entry.tokens += tokens;
                entry.characters += characters;
            }
            None => entries.push(LedgerEntry { part, tokens, characters }),
        }
    }
}
