//! A cache of loaded bodies.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use dashmap::DashMap;
use prowess_core::{
    Cancel, ChangeListener, Clock, Coverage, Diagnostic, Found, Listing, PackagePath, PreviousScan,
    ReadFurther, ReadLimit, ResourcePath, ScanSink, ScanSummary, SkillSource, SourceError, Watch,
};

/// The maximum size of one source's cache, in bytes, before all bodies are evicted.
const MOST_BYTES: usize = 16 << 20;

/// A source that caches its `SKILL.md` files, for slow or remote sources. Other files are read each
/// time.
///
/// A body is evicted when it is too old, when a scan finds another version of its file, and on
/// request.
pub(crate) struct KeptBodies {
    source: Arc<dyn SkillSource>,
    clock: Arc<dyn Clock>,
    age: Duration,
    kept: DashMap<PackagePath, Kept>,
    bytes: AtomicUsize,
    /// The number of evictions: a file that was being read during one must not be cached.
    forgotten: AtomicU64,
}

struct Kept {
    file: ResourcePath,
    bytes: Arc<[u8]>,
    /// A time of the clock's `elapsed`.
    read_at: Duration,
}

impl KeptBodies {
    pub(crate) fn new(source: Arc<dyn SkillSource>, clock: Arc<dyn Clock>, age: Duration) -> Self {
        let (kept, bytes, forgotten) = Default::default();
        Self { source, clock, age, kept, bytes, forgotten }
    }

    /// Evicts the body of one package.
    pub(crate) fn forget(&self, package: &PackagePath) {
        self.forgotten.fetch_add(1, Ordering::AcqRel);
        if let Some((_, kept)) = self.kept.remove(package) {
            self.bytes.fetch_sub(kept.bytes.len(), Ordering::Relaxed);
        }
    }

    /// Evicts every body.
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
        // A file over the limit is passed on to the source, which rejects it.
        let kept = self.find(package, resource).filter(|kept| kept.len() <= limit.0);
        if let Some(bytes) = kept {
            return Ok(bytes.to_vec());
        }
        let read_at = self.clock.elapsed();
        let forgotten = self.forgotten.load(Ordering::Acquire);
        let bytes = self.source.read(package, resource, limit)?;
        self.keep(package, resource, &bytes, read_at);
        if self.forgotten.load(Ordering::Acquire) != forgotten {
            self.forget(package);
        }
        Ok(bytes)
    }
}

/// A sink that evicts changed files before it passes on the report.
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
