//! The changes to skills' texts in a prompt.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::SkillIds;

/// A text that is not shown as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Change<'a> {
    /// The skill's id.
    pub id: &'a str,
    /// The kind of change.
    pub change: ChangeKind,
}

/// The kinds of changes to a skill's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// The description is shortened to fit the budget.
    Shortened,
    /// The description is left out to fit the budget.
    NameOnly,
    /// The skill is left out to fit the budget.
    Dropped,
    /// The skill is left out because its id has characters that cannot be copied from the shown
    /// text.
    Unnameable,
    /// Hidden characters of the description are removed, or a location with such characters is not
    /// shown.
    Cleaned,
    /// Hidden characters of the body are removed.
    BodyCleaned,
    /// A guarded tag in the body is escaped.
    BodyGuarded,
}

/// A list of changes. Under a budget, most skills of a large catalog are in it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Changes {
    ids: SkillIds,
    kinds: Vec<ChangeKind>,
}

impl Changes {
    /// Returns the number of changes.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Returns whether there is no change.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Iterates over the changes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Change<'_>> {
        self.ids.iter().zip(&self.kinds).map(|(id, &change)| Change { id, change })
    }

    /// Reserves room for this many more changes.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.ids.reserve(count);
        self.kinds.reserve(count);
    }

    pub(crate) fn push(&mut self, id: &str, change: ChangeKind) {
        self.ids.push(id);
        self.kinds.push(change);
    }
}

impl fmt::Debug for Changes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

impl Serialize for Changes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}
