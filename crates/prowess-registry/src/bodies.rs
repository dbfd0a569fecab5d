//! Texts of skills that were loaded, for the next who loads them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use dashmap::DashMap;
use prowess_core::{
    Cancel, ChangeListener, Clock, Coverage, Diagnostic, Found, Listing, PackagePath, PreviousScan,
    ReadFurther, ReadLimit, ResourcePath, ScanSink, ScanSummary, SkillSource, SourceError, Watch,
};

/// How many bytes of one source are kept before all are forgotten.
const MOST_BYTES: usize = 16 << 20;

/// A source whose `SKILL.md` files are kept for a while once they were read: for one that is far away, or
/// slow. Other files are read each time.
///
/// A text is forgotten when it is as old as it may be, when a scan finds another version of its file, and
/// when the host says so.
pub(crate) struct KeptBodies {
    source: Arc<dyn SkillSource>,
    clock: Arc<dyn Clock>,
    age: Duration,
    kept: DashMap<PackagePath, Kept>,
    bytes: AtomicUsize,
    /// How often something was forgotten: what was being read meanwhile may be what was to be forgotten.
    forgotten: AtomicU64,
}

struct Kept {
    file: ResourcePath,
    bytes: Arc<[u8]>,
    /// As the clock's `elapsed` gave it.
    read_at: Duration,
}

impl KeptBodies {
    pub(crate) fn new(source: Arc<dyn SkillSource>, clock: Arc<dyn Clock>, age: Duration) -> Self {
        let (kept, bytes, forgotten) = Default::default();
        Self { source, clock, age, kept, bytes, forgotten }
    }

    /// Forgets the text of one package.
    pub(crate) fn forget(&self, package: &PackagePath) {
        self.forgotten.fetch_add(1, Ordering::AcqRel);
        if let Some((_, kept)) = self.kept.remove(package) {
            self.bytes.fetch_sub(kept.bytes.len(), Ordering::Relaxed);
        }
    }

    /// Forgets every text.
    pub(crate) fn forget_all(&self) {
        self.forgotten.fetch_add(1, Ordering::AcqRel);
        self.clear();
    }

    fn clear(&self) {
        self.kept.retain(|_, kept| {
            self.bytes.fetch_sub(kept.bytes.len(), Ordering::Relaxed);
            false
        });
    }

    fn find(&self, package: &PackagePath, file: &ResourcePath) -> Option<Arc<[u8]>> {
        let kept = self.kept.get(package)?;
        let is_young = self.clock.elapsed().saturating_sub(kept.read_at) < self.age;
        (is_young && kept.file == *file).then(|| Arc::clone(&kept.bytes))
    }

    fn keep(&self, package: &PackagePath, file: &ResourcePath, bytes: &[u8], read_at: Duration) {
        if self.bytes.load(Ordering::Relaxed).saturating_add(bytes.len()) > MOST_BYTES {
            self.clear();
        }
        self.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
        let kept = Kept { file: file.clone(), bytes: bytes.into(), read_at };
        if let Some(earlier) = self.kept.insert(package.clone(), kept) {
            self.bytes.fetch_sub(earlier.bytes.len(), Ordering::Relaxed);
        }
    }
}

impl SkillSource for KeptBodies {
    fn name(&self) -> &str {
        self.source.name()
    }

    fn root(&self) -> &str {
        self.source.root()
    }

    fn cache_key(&self) -> Option<String> {
        self.source.cache_key()
    }

    fn identity(&self, package: &PackagePath) -> Option<String> {
        self.source.identity(package)
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        self.source.scan(previous, &mut Forgetting { sink, bodies: self }, cancel)
    }

    fn scan_packages(
        &self,
        packages: &[PackagePath],
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<Coverage, SourceError> {
        let mut sink = Forgetting { sink, bodies: self };
        self.source.scan_packages(packages, previous, &mut sink, cancel)
    }

    fn watch(&self, listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        self.source.watch(listener)
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        self.source.list(package, most)
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        if !resource.as_str().eq_ignore_ascii_case("SKILL.md") {
            return self.source.read(package, resource, limit);
        }
        // One that is larger than it may be is the source's to refuse.
        let kept = self.find(package, resource).filter(|kept| kept.len() <= limit.0);
        if let Some(bytes) = kept {
            return Ok(bytes.to_vec());
        }
        let (read_at, forgotten) = (self.clock.elapsed(), self.forgotten.load(Ordering::Acquire));
        let bytes = self.source.read(package, resource, limit)?;
        self.keep(package, resource, &bytes, read_at);
        if self.forgotten.load(Ordering::Acquire) != forgotten {
            self.forget(package);
        }
        Ok(bytes)
    }
}

/// A sink that hears first which files are other ones than before.
struct Forgetting<'a> {
    sink: &'a mut dyn ScanSink,
    bodies: &'a KeptBodies,
}

impl ScanSink for Forgetting<'_> {
    fn found(&mut self, found: Found<'_>) -> ReadFurther {
        if let Ok(package) = PackagePath::new(found.package) {
            self.bodies.forget(&package);
        }
        self.sink.found(found)
    }

    fn unchanged(&mut self, package: &str) {
        self.sink.unchanged(package);
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        self.sink.problem(diagnostic);
    }

    fn unreadable(&mut self, directory: &str, diagnostic: Diagnostic) {
        self.sink.unreadable(directory, diagnostic);
    }
}
