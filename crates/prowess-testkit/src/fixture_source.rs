//! A source together with its files or its server.

use std::sync::Arc;

use prowess_core::{
    Cancel, ChangeListener, Coverage, Listing, PackageDigest, PackagePath, PreviousScan, ReadLimit,
    ResourcePath, ScanSink, ScanSummary, SkillSource, SourceError, Watch,
};

/// A source that keeps its temporary files, or its server, for as long as it is used.
pub struct FixtureSource<F> {
    /// The source, which reads the fixture.
    pub source: Arc<dyn SkillSource>,
    /// The files or the server.
    pub fixture: F,
}

impl<F: Send + Sync> SkillSource for FixtureSource<F> {
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
        self.source.scan(previous, sink, cancel)
    }

    fn scan_packages(
        &self,
        packages: &[PackagePath],
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<Coverage, SourceError> {
        self.source.scan_packages(packages, previous, sink, cancel)
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
        self.source.read(package, resource, limit)
    }

    fn package_contents(
        &self,
        package: &PackagePath,
        cancel: &Cancel,
    ) -> Result<PackageDigest, SourceError> {
        self.source.package_contents(package, cancel)
    }
}
