//! The packages of the previous scan, and their positions.

use std::sync::atomic::{AtomicUsize, Ordering};

use hashbrown::HashMap;
use prowess_core::{KnownPackages, RecordSet, Stamp};

/// The packages of the previous scan by position: those with a record first, then the rejected
/// ones.
///
/// A directory is usually listed in the same order, so the package after the last one is tried
/// first.
pub(crate) struct PreviousPackages<'a> {
    records: &'a RecordSet,
    positions: HashMap<&'a str, usize>,
    /// The position after the last found package.
    next: AtomicUsize,
}

impl<'a> PreviousPackages<'a> {
    pub(crate) fn new(records: &'a RecordSet) -> Self {
        let mut previous = Self { records, positions: HashMap::new(), next: AtomicUsize::new(0) };
        let packages = (0..previous.len()).map(|at| (previous.package_at(at), at));
        previous.positions = packages.collect();
        previous
    }

    /// Returns the number of packages.
    pub(crate) fn len(&self) -> usize {
        self.records.len() + self.records.rejected().len()
    }

    /// Returns the position of a package.
    #[inline]
    pub(crate) fn find(&self, package: &str) -> Option<usize> {
        let next = self.next.load(Ordering::Relaxed);
        let is_next = next < self.records.len() && self.records.is_package(next, package);
        let position = if is_next { next } else { *self.positions.get(package)? };
        self.next.store(position + 1, Ordering::Relaxed);
        Some(position)
    }

    /// Returns the record at a position, unless the package was rejected.
    pub(crate) fn record(&self, position: usize) -> Option<usize> {
        (position < self.records.len()).then_some(position)
    }

    /// Returns the package at a position.
    pub(crate) fn package_at(&self, position: usize) -> &'a str {
        match position.checked_sub(self.records.len()) {
            None => self.records.package(position),
            Some(rejected) => &self.records.rejected()[rejected].package,
        }
    }

    /// Returns the stamp at a position, unless it is racy.
    pub(crate) fn stamp_at(&self, position: usize) -> Option<Stamp> {
        let stamp = match position.checked_sub(self.records.len()) {
            None => self.records.stamp(position),
            Some(rejected) => self.records.rejected()[rejected].stamp,
        };
        stamp.filter(|stamp| !stamp.is_racy())
    }
}

impl KnownPackages for PreviousPackages<'_> {
    fn stamp(&self, package: &str) -> Option<Stamp> {
        self.stamp_at(self.find(package)?)
    }

    fn package(&self, index: usize) -> Option<(&str, Option<Stamp>)> {
        (index < self.len()).then(|| (self.package_at(index), self.stamp_at(index)))
    }
}
