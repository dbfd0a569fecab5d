//! The differences that a reload found.

/// The number of packages by their difference from the previous scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changes {
    /// The number of new skills.
    pub added: usize,
    /// The number of skills whose file has changed.
    pub changed: usize,
    /// The number of skills that were removed or are no longer usable.
    pub removed: usize,
    /// The number of unchanged skills.
    pub unchanged: usize,
    /// The number of new packages that cannot be used.
    pub rejected: usize,
}

impl Changes {
    /// Returns whether nothing has changed.
    pub fn is_none(&self) -> bool {
        let Self { added, changed, removed, unchanged: _, rejected } = *self;
        added + changed + removed + rejected == 0
    }
}

impl std::ops::AddAssign for Changes {
    fn add_assign(&mut self, more: Self) {
        self.added += more.added;
        self.changed += more.changed;
        self.removed += more.removed;
        self.unchanged += more.unchanged;
        self.rejected += more.rejected;
    }
}
