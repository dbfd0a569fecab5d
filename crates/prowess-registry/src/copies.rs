//! Which of several skills with one id are the same package.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use prowess_core::{
    CatalogBuilder, CatalogSource, Digest, PackagePath, ReadLimit, RecordIndex, Resource,
    ResourcePath, SkillSource, Stamp,
};

/// How many digests are kept before all are forgotten. Only files that look alike are read at all.
const MOST_KEPT: usize = 10_000;

/// Up to how many files beside its `SKILL.md` a package is compared whole. A larger one is like no other.
const MOST_FILES: usize = 1_000;

/// How many bytes of such files are compared to settle one catalog. What is left then is no copy of anything.
const MOST_BYTES: u64 = 64 << 20;

/// The digests of `SKILL.md` files that were compared. A scan reads the head of a file and keeps no body, so only
/// files whose id, name, description and priority agree are read again, each version once.
#[derive(Default)]
pub(crate) struct Copies(Mutex<HashMap<(usize, PackagePath), (Stamp, Digest)>>);

impl Copies {
    /// Whether two records are of the same package: of one directory, or the same file by file and byte by
    /// byte. One that cannot be read is like no other.
    pub(crate) fn are(
        &self,
        builder: &CatalogBuilder,
        sources: &[CatalogSource],
        (one, other): (RecordIndex, RecordIndex),
        budget: &AtomicU64,
    ) -> bool {
        let (a, b) = (builder.record(one), builder.record(other));
        let looks_alike = a.name() == b.name()
            && a.description() == b.description()
            && a.priority() == b.priority();
        // Most of what contends for one id says something else.
        if !looks_alike {
            return false;
        }
        let (own, others) = (a.package(), b.package());
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
        let (key, stamp) = ((at.source(), record.package()), record.stamp());
        let stamp = stamp.filter(|stamp| !stamp.is_racy());
        let kept = |(known, digest): &(Stamp, Digest)| (Some(*known) == stamp).then_some(*digest);
        if let Some(digest) = self.lock().get(&key).and_then(kept) {
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

/// Whether what lies beside the `SKILL.md` of two packages is the same, as far as it is listed. No scan looks
/// at these files, so an edit of one is seen when the catalog is settled for another reason.
fn have_same_files(packages: [Package<'_>; 2], budget: &AtomicU64) -> bool {
    let listing = |(source, package): Package<'_>| source.list(package, MOST_FILES).ok();
    let [Some(files), Some(others)] = packages.map(listing) else { return false };
    let bytes: u64 = files.resources.iter().map(|file| file.bytes).sum();
    let take = |left: u64| left.checked_sub(bytes);
    let is_small = || budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok();
    if files != others || !files.is_complete || !is_small() {
        return false;
    }
    let limit = ReadLimit(usize::try_from(bytes).unwrap_or(usize::MAX));
    let is_same = |file: &Resource| {
        let text = |(source, package): Package<'_>| source.read(package, &file.path, limit).ok();
        let [one, other] = packages.map(text);
        one.is_some() && one == other
    };
    files.resources.iter().all(is_same)
}

/// What was found of pairs of records while one catalog was settled, and how much may still be read for it.
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
    /// What `compare` says of two records. Of two who ask at once neither waits for the other, and both are
    /// given what was found first.
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
        // A verdict is put in whole, so one that is there is right.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
