//! Lists of ids.

use std::fmt;
use std::ops::Range;

use serde::{Serialize, Serializer};

/// A list of ids. A catalog has thousands, so they are in one string instead of one string each.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SkillIds {
    text: String,
    /// The end of each id in `text`.
    ends: Vec<usize>,
}

impl SkillIds {
    /// Returns the number of ids.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there is no id.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns whether this id is in the list.
    pub fn contains(&self, id: &str) -> bool {
        self.iter().any(|other| other == id)
    }

    /// Iterates over the ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|index| &self.text[self.range(index)])
    }

    /// Reserves room for this many more ids of the usual length.
    pub(crate) fn reserve(&mut self, count: usize) {
        const USUAL_LENGTH: usize = 24;
        self.text.reserve(count * USUAL_LENGTH);
        self.ends.reserve(count);
    }

    pub(crate) fn push(&mut self, id: &str) {
        self.text.push_str(id);
        self.ends.push(self.text.len());
    }

    fn range(&self, index: usize) -> Range<usize> {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[index]
    }
}

impl<'a> FromIterator<&'a str> for SkillIds {
    fn from_iter<I: IntoIterator<Item = &'a str>>(ids: I) -> Self {
        let ids = ids.into_iter();
        let mut list = Self::default();
        list.reserve(ids.size_hint().0);
        ids.for_each(|id| list.push(id));
        list
    }
}

impl<T: AsRef<str>, const N: usize> PartialEq<[T; N]> for SkillIds {
    fn eq(&self, other: &[T; N]) -> bool {
        self.iter().eq(other.iter().map(AsRef::as_ref))
    }
}

impl fmt::Debug for SkillIds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

impl Serialize for SkillIds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}
