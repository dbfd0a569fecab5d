//! The differences that a reload found.

/// How many packages a reload found in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changes {
    /// Skills that were not there before.
    pub added: usize,
    /// Skills whose file is another one than before.
    pub changed: usize,
    /// Skills that are no longer there or no longer usable.
    pub removed: usize,
    /// Skills that are as they were.
    pub unchanged: usize,
    /// Packages that were found and cannot be used, and were not known before.
    pub rejected: usize,
}

impl Changes {
    /// Whether nothing differs.
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
