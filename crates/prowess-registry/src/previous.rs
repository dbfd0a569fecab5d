//! The packages of the previous scan, and their positions.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use hashbrown::HashMap;
use prowess_core::{KnownPackages, RecordSet, Stamp};

/// The number of packages that are searched for one by one. A scan of few packages then does not
/// pay for a map of all of them.
const MAX_SEARCHES: usize = 4;

/// The packages of the previous scan by position: those with a record first, then the rejected
/// ones.
///
/// A directory is usually listed in the same order, so the package after the last one is tried
/// first.
pub(crate) struct PreviousPackages<'a> {
    records: &'a RecordSet,
    /// The position of each package, built after [`MAX_SEARCHES`].
    positions: OnceLock<HashMap<&'a str, usize>>,
    /// The number of searches without the map.
    searches: AtomicUsize,
    /// The position after the last found package.
    next: AtomicUsize,
}

impl<'a> PreviousPackages<'a> {
    pub(crate) fn new(records: &'a RecordSet) -> Self {
        Self {
            records,
            positions: OnceLock::new(),
            searches: AtomicUsize::new(0),
            next: AtomicUsize::new(0),
        }
    }

    /// Returns the number of packages.
    pub(crate) fn len(&self) -> usize {
        self.records.len() + self.records.rejected().len()
    }

    #[inline]
    pub(crate) fn find(&self, package: &str) -> Option<usize> {
        let next = self.next.load(Ordering::Relaxed);
        let is_next = next < self.records.len() && self.records.is_package(next, package);
        let position = if is_next { next } else { self.find_elsewhere(next, package)? };
        self.next.store(position + 1, Ordering::Relaxed);
        Some(position)
    }

    /// Returns the position of a package that is not the next one: that of the last one, because a
    /// scan looks up a package more than once, or any other.
    fn find_elsewhere(&self, next: usize, package: &str) -> Option<usize> {
        if self.len() == 0 {
            return None;
        }
        let last = next.checked_sub(1).filter(|&last| self.is_package(last, package));
        last.or_else(|| {
            if self.searches.fetch_add(1, Ordering::Relaxed) < MAX_SEARCHES {
                return (next..self.len()).chain(0..next).find(|&at| self.is_package(at, package));
            }
            self.positions().get(package).copied()
        })
    }

    fn positions(&self) -> &HashMap<&'a str, usize> {
        self.positions.get_or_init(|| (0..self.len()).map(|at| (self.package_at(at), at)).collect())
    }

    fn is_package(&self, position: usize, package: &str) -> bool {
        match position.checked_sub(self.records.len()) {
            None => self.records.is_package(position, package),
            Some(rejected) => self
                .records
                .rejected()
                .get(rejected)
                .is_some_and(|found| *found.package == *package),
        }
    }

    /// Returns the record at a position, unless the package was rejected.
    pub(crate) fn record(&self, position: usize) -> Option<usize> {
        (position < self.records.len()).then_some(position)
    }

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

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use prowess_core::{NewRecord, RecordSetBuilder};

    use super::*;

    fn records() -> RecordSet {
        let mut builder = RecordSetBuilder::new();
        for package in ["a", "b", "cc", "d", "ee", "f"] {
            builder.push(&NewRecord {
                package,
                file: "SKILL.md",
                id: package,
                name: package,
                description: "",
                tags: &[] as &[Cow<'_, str>],
                priority: 0,
                version: None,
                conditions: None,
                stamp: None,
            });
        }
        builder.reject("x", None);
        builder.reject("y", None);
        builder.finish()
    }

    #[test]
    fn packages_are_found_in_any_order() {
        let records = records();
        let previous = PreviousPackages::new(&records);
        let orders = [["a", "b", "cc", "d"], ["y", "x", "ee", "a"], ["f", "y", "b", "d"]];
        for package in orders.into_iter().flatten() {
            let at = previous.find(package).expect("the package is known");
            assert_eq!(previous.package_at(at), package);
            assert_eq!(previous.find("z"), None);
            assert_eq!(previous.find(package), Some(at), "a second lookup finds the same");
        }
        assert!(previous.positions.get().is_some(), "many searches use the map");
    }

    #[test]
    fn few_packages_and_the_same_order_need_no_map() {
        let records = records();
        let previous = PreviousPackages::new(&records);
        for package in ["a", "a", "b", "d", "ee", "ee", "f"] {
            assert!(previous.find(package).is_some(), "{package}");
        }
        assert_eq!(previous.searches.load(Ordering::Relaxed), 1, "one package is missing");
        assert!(previous.positions.get().is_none());
    }
}
