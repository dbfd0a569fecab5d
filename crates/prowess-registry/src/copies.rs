//! Detects duplicates: several copies of one package under one id.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use prowess_core::{
    CatalogBuilder, CatalogSource, Digest, PackagePath, ReadLimit, RecordIndex, ResourcePath,
    SkillSource, Stamp,
};

/// The number of cached digests before all are evicted. Only files that look alike are read at all.
const MOST_KEPT: usize = 10_000;

/// The maximum number of files besides `SKILL.md` for which packages are compared. A larger package
/// equals no other.
const MOST_FILES: usize = 1_000;

/// The maximum number of bytes that are compared for one catalog. Beyond that, packages count as
/// different.
const MOST_BYTES: u64 = 64 << 20;

/// A cache of the digests of compared `SKILL.md` files. A scan reads the head of a file and keeps
/// no body, so only files whose id, name, description and priority agree are read again, each
/// version once.
#[derive(Default)]
pub(crate) struct Copies(Mutex<HashMap<(usize, PackagePath), (Stamp, Digest)>>);

impl Copies {
    /// Returns whether two records are of the same package: of one directory, or equal in every
    /// file. An unreadable package equals no other.
    pub(crate) fn are(
        &self,
        builder: &CatalogBuilder,
        sources: &[CatalogSource],
        (one, other): (RecordIndex, RecordIndex),
        budget: &AtomicU64,
    ) -> bool {
        let a = builder.record(one);
        let b = builder.record(other);
        let looks_alike = a.name() == b.name()
            && a.description() == b.description()
            && a.priority() == b.priority();
        // Most records with one id differ in their texts.
        if !looks_alike {
            return false;
        }
        let own = a.package();
        let others = b.package();
        let source = |at: RecordIndex| &*sources[at.source()].source;
        let packages = [(source(one), &own), (source(other), &others)];
        let [one_place, other_place] = packages.map(|(source, package)| source.identity(package));
        if a.location() == b.location() || (one_place.is_some() && one_place == other_place) {
            return true;
        }
        let digest = |at| self.digest(builder, sources, at);
        digest(one).is_some_and(|digest_of_one| digest(other) == Some(digest_of_one))
            && have_same_files(packages, budget)
    }

    fn digest(
        &self,
        builder: &CatalogBuilder,
        sources: &[CatalogSource],
        at: RecordIndex,
    ) -> Option<Digest> {
        let record = builder.record(at);
        let key = (at.source(), record.package());
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
        let source = &sources[at.source()].source;
        let bytes = source.read(&key.1, &file, ReadLimit::default()).ok()?;
        let digest = Digest::of(&bytes);
        if let Some(stamp) = stamp {
            self.keep(key, stamp, digest);
        }
        Some(digest)
    }

    fn keep(&self, key: (usize, PackagePath), stamp: Stamp, digest: Digest) {
        let mut kept = self.lock();
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(key, (stamp, digest));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(usize, PackagePath), (Stamp, Digest)>> {
        // A digest is put in whole, so one that is there is right.
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
        packages.map(|(source, package)| source.list(package, MOST_FILES).ok())
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
pub(crate) struct Verdicts {
    known: Mutex<HashMap<[RecordIndex; 2], bool>>,
    budget: AtomicU64,
}

impl Default for Verdicts {
    fn default() -> Self {
        Self { known: Mutex::default(), budget: AtomicU64::new(MOST_BYTES) }
    }
}

impl Verdicts {
    /// Returns the result of `compare` for two records. Concurrent callers do not wait for each
    /// other, and both get the first result.
    pub(crate) fn of(
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
