//! Detects duplicates: several copies of one package under one id.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use prowess_core::{
    CatalogBuilder, CatalogSource, Digest, PackagePath, ReadLimit, RecordIndex, ResourcePath,
    SkillSource, Stamp,
};

/// The number of cached digests at which all are evicted. Only similar files are read.
const MAX_CACHED: usize = 10_000;

/// The maximum number of files besides `SKILL.md` for which packages are compared. A larger package
/// equals no other.
const MAX_FILES: usize = 1_000;

/// The maximum number of bytes that are compared for one catalog. Beyond that, packages count as
/// different.
const MAX_BYTES: u64 = 64 << 20;

/// Detects duplicates in one catalog.
#[derive(Clone, Copy)]
pub(crate) struct Duplicates<'a> {
    pub(crate) digests: &'a DigestCache,
    pub(crate) memo: &'a DuplicateMemo,
    pub(crate) sources: &'a [CatalogSource],
}

/// A cache of the digests of compared `SKILL.md` files. A scan reads the head of a file and keeps
/// no body, so only files whose id, name, description and priority agree are read again, each
/// version once.
#[derive(Default)]
pub(crate) struct DigestCache(Mutex<HashMap<(usize, PackagePath), (Stamp, Digest)>>);

impl Duplicates<'_> {
    /// Returns whether two records are of the same package: of one directory, or equal in every
    /// file. An unreadable package equals no other.
    pub(crate) fn is_duplicate(
        &self,
        builder: &CatalogBuilder,
        one: RecordIndex,
        other: RecordIndex,
    ) -> bool {
        self.memo.get_or_compare(one, other, |budget| self.compare(builder, [one, other], budget))
    }

    fn compare(
        &self,
        builder: &CatalogBuilder,
        pair: [RecordIndex; 2],
        budget: &AtomicU64,
    ) -> bool {
        let records = pair.map(|index| builder.record(index));
        let [a, b] = &records;
        // Most records with one id differ in their texts.
        let looks = [a, b].map(|it| (it.name(), it.description(), it.priority()));
        if looks[0] != looks[1] {
            return false;
        }
        let [own, others] = [a.package(), b.package()];
        let sources = pair.map(|index| &*self.sources[index.source()].source);
        let packages = [(sources[0], &own), (sources[1], &others)];
        let identities = packages.map(|(source, package)| source.identity(package));
        let is_one_directory = identities[0].is_some() && identities[0] == identities[1];
        if a.location() == b.location() || is_one_directory {
            return true;
        }
        let digest = |index| self.digests.digest(builder, self.sources, index);
        digest(pair[0]).is_some_and(|first| digest(pair[1]) == Some(first))
            && have_same_files(packages, budget)
    }
}

impl DigestCache {
    fn digest(
        &self,
        builder: &CatalogBuilder,
        sources: &[CatalogSource],
        index: RecordIndex,
    ) -> Option<Digest> {
        let record = builder.record(index);
        let key = (index.source(), record.package());
        let stamp = record.stamp();
        let stamp = stamp.filter(|stamp| !stamp.is_racy());
        if let Some(digest) = self
            .lock()
            .get(&key)
            .and_then(|(known, digest)| (Some(*known) == stamp).then_some(*digest))
        {
            return Some(digest);
        }
        let file = ResourcePath::new(record.file()).ok()?;
        let source = &sources[index.source()].source;
        let bytes = source.read(&key.1, &file, ReadLimit::default()).ok()?;
        let digest = Digest::of(&bytes);
        if let Some(stamp) = stamp {
            self.keep(key, stamp, digest);
        }
        Some(digest)
    }

    fn keep(&self, key: (usize, PackagePath), stamp: Stamp, digest: Digest) {
        let mut kept = self.lock();
        if kept.len() >= MAX_CACHED {
            kept.clear();
        }
        kept.insert(key, (stamp, digest));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(usize, PackagePath), (Stamp, Digest)>> {
        // An entry is inserted as a whole, so every entry is valid.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A package, and the source that it is read from.
type Package<'a> = (&'a dyn SkillSource, &'a PackagePath);

/// Returns whether the other files of two packages are equal, as far as they are listed. No scan
/// covers these files, so an edit of one is noticed when the catalog is resolved for another
/// reason.
fn have_same_files(packages: [Package<'_>; 2], budget: &AtomicU64) -> bool {
    let [Some(files), Some(others)] =
        packages.map(|(source, package)| source.list(package, MAX_FILES).ok())
    else {
        return false;
    };
    let bytes: u64 = files.resources.iter().map(|file| file.bytes).sum();
    let is_small = || {
        budget
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left: u64| left.checked_sub(bytes))
            .is_ok()
    };
    if files != others || !files.is_complete || !is_small() {
        return false;
    }
    let limit = ReadLimit(usize::try_from(bytes).unwrap_or(usize::MAX));
    files.resources.iter().all(|file| {
        let [one, other] =
            packages.map(|(source, package)| source.read(package, &file.path, limit).ok());
        one.is_some() && one == other
    })
}

/// The results for pairs of records in one catalog, and the number of bytes that may still be read
/// for it.
pub(crate) struct DuplicateMemo {
    known: Mutex<HashMap<[RecordIndex; 2], bool>>,
    budget: AtomicU64,
}

impl Default for DuplicateMemo {
    fn default() -> Self {
        Self { known: Mutex::default(), budget: AtomicU64::new(MAX_BYTES) }
    }
}

impl DuplicateMemo {
    /// Returns the result of `compare` for two records. Concurrent callers do not wait for each
    /// other, and both get the first result.
    fn get_or_compare(
        &self,
        one: RecordIndex,
        other: RecordIndex,
        compare: impl FnOnce(&AtomicU64) -> bool,
    ) -> bool {
        let pair = [one.min(other), one.max(other)];
        let known = self.known().get(&pair).copied();
        known.unwrap_or_else(|| {
            let found = compare(&self.budget);
            *self.known().entry(pair).or_insert(found)
        })
    }

    fn known(&self) -> MutexGuard<'_, HashMap<[RecordIndex; 2], bool>> {
        // An entry is inserted as a whole, so every entry is valid.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
