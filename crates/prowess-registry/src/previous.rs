//! The packages of the previous scan, and their positions.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use hashbrown::HashMap;
use prowess_core::{KnownPackages, PackagePath, RecordSet, Stamp};

/// Requested packages that are searched for one by one; for more, a table of all packages pays off.
const FEW: usize = 4;

/// The packages of the previous scan by position: those with a record first, then the rejected
/// ones.
///
/// A directory is mostly listed in the same order again, so the next package is found at the
/// cursor. A package that is elsewhere, or new, is found by a table that is built on first use.
pub(crate) struct PreviousPackages<'a> {
    records: &'a RecordSet,
    /// The positions of the packages that a partial scan is for.
    requested: HashMap<&'a str, Option<usize>>,
    by_path: OnceLock<HashMap<&'a str, usize>>,
    next: Cursor,
}

/// The position after the record that was found last.
#[derive(Debug, Default)]
pub(crate) struct Cursor(AtomicUsize);

impl Cursor {
    /// Returns the position.
    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, position: usize) {
        self.0.store(position, Ordering::Relaxed);
    }
}

impl<'a> PreviousPackages<'a> {
    /// Creates the table for a scan of everything.
    pub(crate) fn new(records: &'a RecordSet) -> Self {
        let requested = HashMap::new();
        let by_path = OnceLock::new();
        Self { records, requested, by_path, next: Cursor::default() }
    }

    /// Creates the table for a scan of some packages. `likely` guesses the position of a package.
    pub(crate) fn for_some(
        records: &'a RecordSet,
        packages: impl ExactSizeIterator<Item = &'a PackagePath>,
        likely: impl Fn(&str) -> Option<usize>,
    ) -> Self {
        let mut previous = Self::new(records);
        let is_few = packages.len() <= FEW;
        for package in packages.map(PackagePath::as_str) {
            let guess = likely(package).filter(|&position| previous.is_at(position, package));
            let position = guess.or_else(|| {
                if is_few {
                    previous.search(package)
                } else {
                    previous.by_path().get(package).copied()
                }
            });
            previous.requested.insert(package, position);
        }
        previous
    }

    /// Returns how many packages there are.
    pub(crate) fn len(&self) -> usize {
        self.records.len() + self.records.rejected().len()
    }

    /// Returns the position of a package, which is tried at `cursor` first.
    #[inline]
    pub(crate) fn find(&self, package: &str, cursor: &Cursor) -> Option<usize> {
        let next = cursor.get();
        if next < self.records.len() && self.records.is_package(next, package) {
            cursor.set(next + 1);
            return Some(next);
        }
        // A first scan has no previous packages.
        if self.len() == 0 { None } else { self.find_elsewhere(package, cursor) }
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

    #[cold]
    fn find_elsewhere(&self, package: &str, cursor: &Cursor) -> Option<usize> {
        let found = match self.requested.get(package) {
            Some(requested) => *requested,
            None => self.by_path().get(package).copied(),
        };
        if let Some(record) = found.and_then(|position| self.record(position)) {
            cursor.set(record + 1);
        }
        found
    }

    fn is_at(&self, position: usize, package: &str) -> bool {
        position < self.records.len() && self.records.is_package(position, package)
    }

    fn search(&self, package: &str) -> Option<usize> {
        let rejected = || {
            let position = self.records.rejected().iter().position(|it| *it.package == *package);
            position.map(|position| self.records.len() + position)
        };
        self.records.find_package(package).or_else(rejected)
    }

    fn by_path(&self) -> &HashMap<&'a str, usize> {
        let table = || (0..self.len()).map(|position| (self.package_at(position), position));
        self.by_path.get_or_init(|| table().collect())
    }
}

impl KnownPackages for PreviousPackages<'_> {
    fn stamp(&self, package: &str) -> Option<Stamp> {
        self.stamp_at(self.find(package, &self.next)?)
    }

    fn package(&self, index: usize) -> Option<(&str, Option<Stamp>)> {
        (index < self.len()).then(|| (self.package_at(index), self.stamp_at(index)))
    }
}
