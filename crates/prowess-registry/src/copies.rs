//! Which of several skills with one id are the same file.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use prowess_core::{
    CatalogBuilder, CatalogSource, Digest, PackagePath, ReadLimit, RecordIndex, ResourcePath, Stamp,
};

/// How many digests are kept before all are forgotten. Only files that look alike are read at all.
const MOST_KEPT: usize = 10_000;

/// The digests of files that were compared. A scan reads the head of a file and keeps no body, so only
/// files whose id, name, description and priority agree are read again, each version once.
#[derive(Default)]
pub(crate) struct Copies(Mutex<HashMap<(usize, PackagePath), (Stamp, Digest)>>);

impl Copies {
    /// Whether two records are of the same text, byte by byte. One that cannot be read is like no other.
    pub(crate) fn are(
        &self,
        builder: &CatalogBuilder,
        sources: &[CatalogSource],
        one: RecordIndex,
        other: RecordIndex,
    ) -> bool {
        let (a, b) = (builder.record(one), builder.record(other));
        if a.location() == b.location() {
            return true;
        }
        let looks_alike = a.name() == b.name()
            && a.description() == b.description()
            && a.priority() == b.priority();
        looks_alike && {
            let digest = |at| self.digest(builder, sources, at);
            digest(one).is_some_and(|digest_of_one| digest(other) == Some(digest_of_one))
        }
    }

    fn digest(
        &self,
        builder: &CatalogBuilder,
        sources: &[CatalogSource],
        at: RecordIndex,
    ) -> Option<Digest> {
        let record = builder.record(at);
        let (key, stamp) = ((at.source(), record.package()), record.stamp());
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

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<(usize, PackagePath), (Stamp, Digest)>> {
        // A digest is put in whole, so one that is there is right.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
