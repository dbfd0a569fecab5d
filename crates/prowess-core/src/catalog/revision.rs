//! A catalog of the next moment in which the same skills are offered.

use std::sync::Arc;

use super::{Catalog, CatalogSource, Excluded, RecordIndex};
use crate::Record;

/// A skill in an earlier and in a later catalog.
pub type RevisedSkill<'c> = [Record<'c>; 2];

impl Catalog {
    /// This catalog with what newer scans of its sources say, at the cost of what they say otherwise. `None`
    /// if that may decide which skills are offered or under which ids; then a catalog is to be settled anew.
    /// That what is decided by other things has not changed is for the caller to know.
    ///
    /// What decides is what [`RecordSet::revised_since`](crate::RecordSet::revised_since) names, and every
    /// word of skills that contend for one id: of two copies the one that was edited is none.
    pub fn revised(&self, sources: &[CatalogSource], generation: u64) -> Option<Self> {
        let is_alone = |at: &RecordIndex| self.is_alone(*at);
        let is_revision = self.revisions_in(sources)?.iter().all(is_alone);
        is_revision.then(|| Self {
            generation,
            sources: sources.into(),
            resolved: Arc::clone(&self.resolved),
        })
    }

    /// The skills that are offered and may say something else than in `earlier`, each as it was and as it
    /// is, sorted by id; `None` unless this is a revision of that catalog.
    pub fn revised_since<'c>(&'c self, earlier: &'c Self) -> Option<Vec<RevisedSkill<'c>>> {
        if !Arc::ptr_eq(&self.resolved, &earlier.resolved) {
            return None;
        }
        let revised = earlier.revisions_in(&self.sources)?.into_iter();
        let both = |at| [earlier, self].map(|catalog| Record::new(catalog, at));
        let is_offered = |[_, later]: &RevisedSkill<'_>| {
            self.get(later.id()).is_some_and(|offered| offered.index() == later.index())
        };
        let mut revised: Vec<_> = revised.map(both).filter(is_offered).collect();
        revised.sort_unstable_by_key(|[_, later]| later.id());
        Some(revised)
    }

    /// The records of which newer scans of the same sources say something else.
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
                revised.extend(of_source.into_iter().map(|at| RecordIndex::new(number, at)));
            }
        }
        Some(revised)
    }

    /// Whether no other record has a record's id.
    fn is_alone(&self, at: RecordIndex) -> bool {
        let id = self.resolved.ids.base(&self.sources, at);
        let is_it = |other: RecordIndex| other == at;
        let has_id = |other: RecordIndex| self.resolved.ids.base(&self.sources, other) == id;
        self.get(id).is_none_or(|visible| is_it(visible.index()))
            && self.excluded_range(id).iter().all(|excluded: &Excluded| is_it(excluded.at))
            && !self.resolved.rejected.iter().any(|other| has_id(other.at) && !is_it(other.at))
            && !self.resolved.ids.distinct().any(|other| has_id(other) && !is_it(other))
    }
}
