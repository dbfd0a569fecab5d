//! A list of ids without an allocation for each.

use std::fmt;
use std::sync::Arc;

use prowess_core::Catalog;
use serde::{Serialize, Serializer};

/// A sorted list of ids: some, or all of a catalog, because the first change adds every skill.
///
/// Serialises to a list of texts.
#[derive(Clone)]
pub struct IdList(Ids);

#[derive(Clone)]
enum Ids {
    Some(Vec<Box<str>>),
    Of(Arc<Catalog>),
}

impl IdList {
    /// Creates the list of all ids that a catalog offers.
    pub(super) fn of(catalog: &Arc<Catalog>) -> Self {
        Self(Ids::Of(Arc::clone(catalog)))
    }

    /// Returns the number of ids.
    pub fn len(&self) -> usize {
        match &self.0 {
            Ids::Some(ids) => ids.len(),
            Ids::Of(catalog) => catalog.len(),
        }
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Iterates over the ids in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let (some, all) = match &self.0 {
            Ids::Some(ids) => (ids.as_slice(), None),
            Ids::Of(catalog) => (&[][..], Some(catalog.skills())),
        };
        some.iter().map(AsRef::as_ref).chain(all.into_iter().flatten().map(|skill| skill.id()))
    }
}

impl Default for IdList {
    fn default() -> Self {
        Self(Ids::Some(Vec::new()))
    }
}

impl PartialEq for IdList {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for IdList {}

impl<I: Into<Box<str>>> FromIterator<I> for IdList {
    fn from_iter<Ids: IntoIterator<Item = I>>(ids: Ids) -> Self {
        Self(self::Ids::Some(ids.into_iter().map(Into::into).collect()))
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
