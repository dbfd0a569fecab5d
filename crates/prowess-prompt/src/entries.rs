//! The entries of a catalog, each made when it is needed.

use prowess_core::{Catalog, Record, ShowLocation};

use crate::SkillEntry;

/// The skills that a catalog offers. Under a budget most of them are never shown, and the location of
/// each costs an allocation, so only the records are kept.
pub(crate) struct Entries<'a> {
    records: Vec<Record<'a>>,
    show: ShowLocation,
}

impl<'a> Entries<'a> {
    pub(crate) fn new(catalog: &'a Catalog, show: ShowLocation) -> Self {
        Self { records: catalog.skills().collect(), show }
    }

    /// Removes the records for which `is_removed` holds, and returns them.
    pub(crate) fn split_off(
        &mut self,
        is_removed: impl Fn(&Record<'a>) -> bool,
    ) -> Vec<Record<'a>> {
        self.records.extract_if(.., |record| is_removed(record)).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &'a str> {
        self.records.iter().map(Record::id)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = SkillEntry<'a>> {
        self.records.iter().map(|record| SkillEntry::new(*record, self.show))
    }

    /// Returns about how long the text of the first `count` entries becomes, from a sample of them.
    pub(crate) fn likely_length(&self, count: usize) -> usize {
        /// A catalog's entries are alike enough for so many to stand for all.
        const SAMPLE: usize = 32;
        let sample = self.iter().take(count.min(SAMPLE));
        let length: usize = sample.map(|skill| skill.likely_length()).sum();
        // A quarter more than the sample says costs less than a second copy of the text.
        let all = length * count / count.clamp(1, SAMPLE);
        all + all / 4
    }
}
