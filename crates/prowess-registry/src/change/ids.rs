//! A list of ids that costs no allocation for each.

use std::fmt;

use serde::{Serialize, Serializer};

/// Ids in one text: the first catalog adds every skill that there is.
///
/// Serialises to a list of texts.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct IdList {
    text: String,
    /// Where each id ends.
    ends: Vec<usize>,
}

impl IdList {
    /// How many ids there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The ids in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        let start = |at: usize| at.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.ends.iter().enumerate().map(move |(at, end)| &self.text[start(at)..*end])
    }

    /// Adds an id behind the others.
    pub(super) fn push(&mut self, id: &str) {
        self.text.push_str(id);
        self.ends.push(self.text.len());
    }
}

impl<'i> FromIterator<&'i str> for IdList {
    fn from_iter<I: IntoIterator<Item = &'i str>>(ids: I) -> Self {
        let ids = ids.into_iter();
        let mut list = Self { text: String::new(), ends: Vec::with_capacity(ids.size_hint().0) };
        ids.for_each(|id| list.push(id));
        list
    }
}

impl fmt::Debug for IdList {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

impl Serialize for IdList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}
