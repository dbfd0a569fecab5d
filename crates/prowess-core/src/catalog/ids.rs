//! Which id each record goes by.

use std::collections::HashMap;

use super::{CatalogSource, RecordIndex};

/// The ids that are not what the scan says, of which there are few or none.
#[derive(Clone, Default)]
pub(super) struct Ids {
    /// The host's name for a package, in the place of its declared one.
    own: HashMap<RecordIndex, Box<str>>,
    /// What tells a record from another with its id where both are visible.
    distinct: HashMap<RecordIndex, Box<str>>,
}

impl Ids {
    /// What a model types for a record.
    pub(super) fn get<'i>(&'i self, sources: &'i [CatalogSource], at: RecordIndex) -> &'i str {
        if !self.distinct.is_empty()
            && let Some(id) = self.distinct.get(&at)
        {
            return id;
        }
        self.base(sources, at)
    }

    /// The id of a record before it was told from others.
    pub(super) fn base<'i>(&'i self, sources: &'i [CatalogSource], at: RecordIndex) -> &'i str {
        if !self.own.is_empty()
            && let Some(id) = self.own.get(&at)
        {
            return id;
        }
        sources[at.source()].records.id(at.entry())
    }

    pub(super) fn set_own(&mut self, at: RecordIndex, id: Box<str>) {
        self.own.insert(at, id);
    }

    pub(super) fn set_distinct(&mut self, at: RecordIndex, id: Box<str>) {
        self.distinct.insert(at, id);
    }

    /// The records that bear a distinct id.
    pub(super) fn distinct(&self) -> impl Iterator<Item = RecordIndex> {
        self.distinct.keys().copied()
    }
}
