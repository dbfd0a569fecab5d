//! Detects copies: packages under one id with the same `SKILL.md`.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use prowess_core::{
    CatalogBuilder, CatalogSource, Digest, PackagePath, ReadLimit, Record, RecordIndex,
    ResourcePath, Stamp,
};

/// The number of cached digests at which all are evicted. Only similar files are read.
const MAX_CACHED: usize = 10_000;

/// Detects copies in one catalog.
#[derive(Clone, Copy)]
pub(crate) struct Copies<'a> {
    pub(crate) digests: &'a DigestCache,
    pub(crate) sources: &'a [CatalogSource],
}

/// A cache of the digests of compared `SKILL.md` files. A scan reads the head of a file and keeps
/// no body, so only files whose id, name, description and priority agree are read again, each
/// version once.
#[derive(Default)]
pub(crate) struct DigestCache(Mutex<HashMap<(usize, PackagePath), (Stamp, Digest)>>);

impl Copies<'_> {
    /// Returns whether two records are of one directory, or of packages with the same `SKILL.md`.
    /// An unreadable file equals no other.
    pub(crate) fn are_same(&self, builder: &CatalogBuilder, pair: [RecordIndex; 2]) -> bool {
        let records = pair.map(|index| builder.record(index));
        // While it is edited, the record of one source is older than that of the other.
        if self.are_one_directory(records) {
            return true;
        }
        // Most records with one id differ in their texts.
        let looks = records.map(|it| (it.name(), it.description(), it.priority()));
        let digest = |index| self.digests.digest(builder, self.sources, index);
        looks[0] == looks[1] && digest(pair[0]).is_some_and(|first| digest(pair[1]) == Some(first))
    }

    /// Returns whether a source places both of two records, or that of one places the other.
    pub(crate) fn is_placed(&self, records: [Record<'_>; 2]) -> bool {
        let [a, b] = records.map(|record| record.root_directory());
        let [of_a, of_b] = records.map(|record| &self.sources[record.index().source()]);
        of_a.source.places(&b)
            || of_b.source.places(&a)
            || self.sources.iter().any(|it| it.source.places(&a) && it.source.places(&b))
    }

    /// Returns whether two records are of one directory, which is reached by two paths.
    pub(crate) fn are_one_directory(&self, [a, b]: [Record<'_>; 2]) -> bool {
        let identity = |record: Record<'_>| {
            let source = &self.sources[record.index().source()].source;
            source.identity(&record.package())
        };
        a.location() == b.location() || identity(a).is_some_and(|own| identity(b) == Some(own))
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
