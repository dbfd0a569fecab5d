//! A cache of loaded bodies.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use dashmap::DashMap;
use prowess_core::{
    Cancel, ChangeListener, Clock, Coverage, Diagnostic, Found, Listing, PackageDigest,
    PackagePath, PreviousScan, ReadFurther, ReadLimit, ResourcePath, SKILL_MD_FILES, ScanSink,
    ScanSummary, SkillSource, SourceError, Watch,
};

/// The size of one source's cache, in bytes, at which all bodies are evicted.
const MAX_BYTES: usize = 16 << 20;

/// A source that caches its `SKILL.md` files, for slow or remote sources. Other files are read each
/// time.
///
/// A body is evicted when it is too old, when a scan finds another version of its file, and on
/// request.
pub(crate) struct BodyCache {
    source: Arc<dyn SkillSource>,
    clock: Arc<dyn Clock>,
    age: Duration,
    cached: DashMap<PackagePath, CachedBody>,
    bytes: AtomicUsize,
    /// The number of evictions. A file whose read overlaps with an eviction must not be cached.
    evictions: AtomicU64,
}

struct CachedBody {
    file: ResourcePath,
    bytes: Arc<[u8]>,
    /// The time of the read, by the clock's `elapsed`.
    read_at: Duration,
}

impl BodyCache {
    pub(crate) fn new(source: Arc<dyn SkillSource>, clock: Arc<dyn Clock>, age: Duration) -> Self {
        let (cached, bytes, evictions) = Default::default();
        Self { source, clock, age, cached, bytes, evictions }
    }

    /// Evicts the body of one package.
    pub(crate) fn evict(&self, package: &PackagePath) {
        self.evictions.fetch_add(1, Ordering::AcqRel);
        if let Some((_, cached)) = self.cached.remove(package) {
            self.bytes.fetch_sub(cached.bytes.len(), Ordering::Relaxed);
        }
    }

    /// Evicts every body.
    pub(crate) fn evict_all(&self) {
        self.evictions.fetch_add(1, Ordering::AcqRel);
        self.clear();
    }

    fn clear(&self) {
        self.cached.retain(|_, cached| {
            self.bytes.fetch_sub(cached.bytes.len(), Ordering::Relaxed);
            false
        });
    }

    fn find(&self, package: &PackagePath, file: &ResourcePath) -> Option<Arc<[u8]>> {
        let cached = self.cached.get(package)?;
        let is_young = self.clock.elapsed().saturating_sub(cached.read_at) < self.age;
        (is_young && cached.file == *file).then(|| Arc::clone(&cached.bytes))
    }

    fn insert(&self, package: &PackagePath, file: &ResourcePath, bytes: &[u8], read_at: Duration) {
        if self.bytes.load(Ordering::Relaxed).saturating_add(bytes.len()) > MAX_BYTES {
            self.clear();
        }
        self.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
        let cached = CachedBody { file: file.clone(), bytes: bytes.into(), read_at };
        if let Some(earlier) = self.cached.insert(package.clone(), cached) {
            self.bytes.fetch_sub(earlier.bytes.len(), Ordering::Relaxed);
        }
    }
}

impl SkillSource for BodyCache {
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
        self.source.scan(previous, &mut EvictingSink { sink, bodies: self }, cancel)
    }

    fn scan_packages(
        &self,
        packages: &[PackagePath],
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<Coverage, SourceError> {
        let mut sink = EvictingSink { sink, bodies: self };
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
        if !SKILL_MD_FILES.contains(&resource.as_str()) {
            return self.source.read(package, resource, limit);
        }
        // A read of a file over the limit is forwarded to the source, which rejects it.
        let cached = self.find(package, resource).filter(|cached| cached.len() <= limit.0);
        if let Some(bytes) = cached {
            return Ok(bytes.to_vec());
        }
        let read_at = self.clock.elapsed();
        let evictions = self.evictions.load(Ordering::Acquire);
        let bytes = self.source.read(package, resource, limit)?;
        self.insert(package, resource, &bytes, read_at);
        if self.evictions.load(Ordering::Acquire) != evictions {
            self.evict(package);
        }
        Ok(bytes)
    }

    fn package_contents(
        &self,
        package: &PackagePath,
        cancel: &Cancel,
    ) -> Result<PackageDigest, SourceError> {
        self.source.package_contents(package, cancel)
    }
}

/// A sink that evicts changed files before it forwards the report.
struct EvictingSink<'a> {
    sink: &'a mut dyn ScanSink,
    bodies: &'a BodyCache,
}

impl ScanSink for EvictingSink<'_> {
    fn found(&mut self, found: Found<'_>) -> ReadFurther {
        if let Ok(package) = PackagePath::new(found.package) {
            self.bodies.evict(&package);
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
