//! What a set says otherwise than the one before it.

use super::RecordSet;

impl RecordSet {
    /// The numbers of the records that may say something else than in `earlier`, in their order; `None` if
    /// more has changed than what records say: a package has come or gone or moved, or what decides which
    /// skills are offered, which is everything but descriptions, versions and stamps.
    ///
    /// Costs a look at what the two do not share, which is little. `None` for a set
    /// that was not begun [`after`](super::RecordSetBuilder::after) the earlier one, too.
    pub fn revised_since(&self, earlier: &Self) -> Option<Vec<usize>> {
        let is_after = self.names.follow(&earlier.names) && self.texts.follow(&earlier.texts);
        if !is_after || self.len() != earlier.len() {
            return None;
        }
        let revised = self.entries.differing(&earlier.entries);
        revised.map(|at| self.is_revision(earlier, at).then_some(at)).collect()
    }

    /// Whether a record is offered to the same audience under the same id as in `earlier`.
    fn is_revision(&self, earlier: &Self, at: usize) -> bool {
        self.package(at) == earlier.package(at)
            && self.file(at) == earlier.file(at)
            && self.id(at) == earlier.id(at)
            && self.name(at) == earlier.name(at)
            && self.tags(at).eq(earlier.tags(at))
            && self.priority(at) == earlier.priority(at)
            && self.conditions(at) == earlier.conditions(at)
    }
}
