//! Compares a set with the one before it.

use super::RecordSet;

impl RecordSet {
    /// Returns the indices of the records whose content may differ from `earlier`, in their order.
    /// Returns `None` if more has changed than content: a package was added, removed or moved, or a
    /// field that affects which skills are offered, which is every field but description, version
    /// and stamp.
    ///
    /// The cost depends on the blocks that the two do not share. Also returns `None` for a set that
    /// was not built [`after`](super::RecordSetBuilder::after) the earlier one.
    pub fn revised_since(&self, earlier: &Self) -> Option<Vec<usize>> {
        let is_after = self.names.follow(&earlier.names) && self.texts.follow(&earlier.texts);
        if !is_after || self.len() != earlier.len() {
            return None;
        }
        let revised = self.entries.differing(&earlier.entries);
        revised.map(|index| self.is_revision(earlier, index).then_some(index)).collect()
    }

    /// Returns whether a record is offered to the same audience under the same id as in `earlier`.
    fn is_revision(&self, earlier: &Self, index: usize) -> bool {
        self.package(index) == earlier.package(index)
            && self.file(index) == earlier.file(index)
            && self.id(index) == earlier.id(index)
            && self.name(index) == earlier.name(index)
            && self.tags(index).eq(earlier.tags(index))
            && self.priority(index) == earlier.priority(index)
            && self.conditions(index) == earlier.conditions(index)
    }
}
