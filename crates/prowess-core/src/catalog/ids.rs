//! The ids of records.

use std::collections::HashMap;

use super::{CatalogSource, RecordIndex};

/// The ids that differ from those of the scan; there are few or none.
#[derive(Clone, Default)]
pub(super) struct Ids {
    /// Ids that the host chose for packages, used instead of the declared name.
    own: HashMap<RecordIndex, Box<str>>,
    /// Ids that distinguish a record from another visible one with the same base id.
    distinct: HashMap<RecordIndex, Box<str>>,
}

impl Ids {
    /// Returns the id of a record, as a model writes it.
    #[inline]
    pub(super) fn get<'i>(&'i self, sources: &'i [CatalogSource], index: RecordIndex) -> &'i str {
        if !self.distinct.is_empty()
            && let Some(id) = self.distinct.get(&index)
        {
            return id;
        }
        self.base(sources, index)
    }

    /// Returns the id of a record before collisions were resolved.
    #[inline]
    pub(super) fn base<'i>(&'i self, sources: &'i [CatalogSource], index: RecordIndex) -> &'i str {
        if !self.own.is_empty()
            && let Some(id) = self.own.get(&index)
        {
            return id;
        }
        sources[index.source()].records.id(index.entry())
    }

    pub(super) fn set_own(&mut self, index: RecordIndex, id: Box<str>) {
        self.own.insert(index, id);
    }

    pub(super) fn set_distinct(&mut self, index: RecordIndex, id: Box<str>) {
        self.distinct.insert(index, id);
    }

    /// Iterates over the records that have a distinct id.
    pub(super) fn distinct(&self) -> impl Iterator<Item = RecordIndex> {
        self.distinct.keys().copied()
    }
}
