//! Catalogs that differ from an earlier one only in the content of skills.

use std::sync::Arc;

use super::{Catalog, CatalogSource, RecordIndex};
use crate::Record;

/// A skill as it is in an earlier and in a later catalog.
pub type RevisedSkill<'c> = [Record<'c>; 2];

impl Catalog {
    /// Returns this catalog with the records of newer scans, if they offer the same skills under
    /// the same ids; the cost depends on the number of changed records. Returns `None` if the
    /// changes may affect which skills are offered or under which ids; the catalog then has to be
    /// resolved again. The caller makes sure that no other input of the resolution has changed.
    ///
    /// The fields that [`RecordSet::revised_since`](crate::RecordSet::revised_since) lists may
    /// affect the outcome, and so may any field of skills that compete for one id: of two copies,
    /// one that was edited is no longer a copy.
    pub fn revised(&self, sources: &[CatalogSource], generation: u64) -> Option<Self> {
        let is_alone = |index: &RecordIndex| self.is_alone(*index);
        let is_revision = self.revisions_in(sources)?.iter().all(is_alone);
        is_revision.then(|| Self::with(generation, sources.into(), Arc::clone(&self.resolved)))
    }

    /// Returns the offered skills that may have changed since `earlier`, each as it was and as it
    /// is, sorted by id; `None` unless this catalog is a revision of that one.
    pub fn revised_since<'c>(&'c self, earlier: &'c Self) -> Option<Vec<RevisedSkill<'c>>> {
        if !Arc::ptr_eq(&self.resolved, &earlier.resolved) {
            return None;
        }
        let mut revised = Vec::new();
        for index in earlier.revisions_in(&self.sources)? {
            let [earlier, later] = [earlier, self].map(|catalog| Record::new(catalog, index));
            if self.get(later.id()).is_some_and(|offered| offered.index() == index) {
                revised.push([earlier, later]);
            }
        }
        revised.sort_unstable_by_key(|[_, later]| later.id());
        Some(revised)
    }

    /// Returns the records that newer scans of the same sources have changed.
    fn revisions_in(&self, sources: &[CatalogSource]) -> Option<Vec<RecordIndex>> {
        if sources.len() != self.sources.len() {
            return None;
        }
        let mut revised = Vec::new();
        for (number, (later, earlier)) in sources.iter().zip(&self.sources).enumerate() {
            if later.layer != earlier.layer || !Arc::ptr_eq(&later.source, &earlier.source) {
                return None;
            }
            if !Arc::ptr_eq(&later.records, &earlier.records) {
                let of_source = later.records.revised_since(&earlier.records)?;
                revised.extend(of_source.into_iter().map(|index| RecordIndex::new(number, index)));
            }
        }
        Some(revised)
    }

    /// Returns whether no other record has the id of this record.
    fn is_alone(&self, index: RecordIndex) -> bool {
        let id = self.base_id(index);
        let is_it = |other: RecordIndex| other == index;
        self.with_id(id).all(|other| is_it(other.index()))
            && !self.resolved.ids.distinct().any(|it| self.base_id(it) == id && !is_it(it))
    }
}
