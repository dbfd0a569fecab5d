//! A cache of loaded bodies.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prowess_core::{
    Cancel, Clock, Coverage, Diagnostic, Found, PackagePath, PreviousScan, ReadFurther, ReadLimit,
    ResourcePath, SKILL_MD_FILES, ScanSink, ScanSummary, SkillSource, SourceError,
};
use prowess_format::{Directory, Rules, parse_in};

/// The size of one source's cache, in bytes, at which all bodies are evicted.
const MAX_BYTES: usize = 16 << 20;

/// A source that caches its `SKILL.md` files, for slow or remote sources. Other files are read each
/// time.
///
/// A body is evicted when it is too old, when a scan finds another version of its file, and on
/// request. A file that is no skill is not cached: an editor may be in the middle of a save.
pub(crate) struct BodyCache {
    source: Arc<dyn SkillSource>,
    clock: Arc<dyn Clock>,
    age: Duration,
    /// The rules for skills of the source.
    rules: Rules,
    bodies: Mutex<Bodies>,
}

#[derive(Default)]
struct Bodies {
    cached: HashMap<PackagePath, CachedBody>,
    bytes: usize,
    /// The number of evictions. A file whose read overlaps with an eviction is not cached.
    evictions: u64,
}

struct CachedBody {
    file: ResourcePath,
    bytes: Arc<[u8]>,
    /// The time of the read, by the clock's `elapsed`.
    read_at: Duration,
}

impl Bodies {
    fn remove(&mut self, package: &PackagePath) {
        if let Some(removed) = self.cached.remove(package) {
            self.bytes -= removed.bytes.len();
        }
    }

    fn clear(&mut self) {
        self.cached.clear();
        self.bytes = 0;
    }

    fn insert(&mut self, package: &PackagePath, body: CachedBody) {
        self.remove(package);
        if self.bytes + body.bytes.len() > MAX_BYTES {
            self.clear();
        }
        self.bytes += body.bytes.len();
        self.cached.insert(package.clone(), body);
    }
}

impl BodyCache {
    pub(crate) fn new(
        source: Arc<dyn SkillSource>,
        clock: Arc<dyn Clock>,
        age: Duration,
        rules: Rules,
    ) -> Self {
        Self { source, clock, age, rules, bodies: Mutex::default() }
    }

    fn is_skill(&self, package: &PackagePath, bytes: &[u8]) -> bool {
        let name = package.as_str().rsplit('/').next().unwrap_or_default();
        let directory = Directory { name, is_compared: false };
        parse_in(bytes, Some(directory), &self.rules).document.is_some()
    }

    /// Evicts the body of one package.
    pub(crate) fn evict(&self, package: &PackagePath) {
        let mut bodies = self.bodies();
        bodies.evictions += 1;
        bodies.remove(package);
    }

    /// Evicts every body.
    pub(crate) fn evict_all(&self) {
        let mut bodies = self.bodies();
        bodies.evictions += 1;
        bodies.clear();
    }

    fn find(&self, package: &PackagePath, file: &ResourcePath) -> Option<Arc<[u8]>> {
        let bodies = self.bodies();
        let cached = bodies.cached.get(package)?;
        let is_young = self.clock.elapsed().saturating_sub(cached.read_at) < self.age;
        (is_young && cached.file == *file).then(|| Arc::clone(&cached.bytes))
    }

    fn bodies(&self) -> MutexGuard<'_, Bodies> {
        self.bodies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SkillSource for BodyCache {
    prowess_core::forward_source! {
        [source] name root cache_key patience identity watch list places altered package_contents
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
        let evictions = self.bodies().evictions;
        let bytes = self.source.read(package, resource, limit)?;
        let is_skill = self.is_skill(package, &bytes);
        let mut bodies = self.bodies();
        if is_skill && bodies.evictions == evictions {
            let file = resource.clone();
            bodies.insert(package, CachedBody { file, bytes: bytes.as_slice().into(), read_at });
        }
        drop(bodies);
        Ok(bytes)
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

    fn notes(&mut self, notes: Vec<u8>) {
        self.sink.notes(notes);
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        self.sink.problem(diagnostic);
    }

    fn unreadable(&mut self, directory: &str, diagnostic: Diagnostic) {
        self.sink.unreadable(directory, diagnostic);
    }
}
