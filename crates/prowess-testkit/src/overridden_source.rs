//! A source that wraps another one, for tests that override single methods.

use std::ops::Deref;
use std::sync::Arc;

use prowess_core::{
    Cancel, ChangeListener, Listing, PackagePath, PreviousScan, ReadLimit, ResourcePath, ScanSink,
    ScanSummary, SkillSource, SourceError, Watch,
};

/// The methods of an [`OverriddenSource`]. Each calls the wrapped source by default.
pub trait SourceOverrides: Send + Sync {
    /// Returns the wrapped source.
    fn inner(&self) -> &dyn SkillSource;

    /// Overrides [`SkillSource::name`].
    fn name(&self) -> &str {
        self.inner().name()
    }

    /// Overrides [`SkillSource::root`].
    fn root(&self) -> &str {
        self.inner().root()
    }

    /// Overrides [`SkillSource::cache_key`].
    fn cache_key(&self) -> Option<String> {
        self.inner().cache_key()
    }

    /// Overrides [`SkillSource::identity`].
    fn identity(&self, package: &PackagePath) -> Option<String> {
        self.inner().identity(package)
    }

    /// Overrides [`SkillSource::altered`].
    fn altered(&self, id: &str, directory: &str) -> Option<String> {
        self.inner().altered(id, directory)
    }

    /// Overrides [`SkillSource::scan`].
    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        self.inner().scan(previous, sink, cancel)
    }

    /// Overrides [`SkillSource::watch`].
    fn watch(&self, listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        self.inner().watch(listener)
    }

    /// Overrides [`SkillSource::list`].
    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        self.inner().list(package, most)
    }

    /// Overrides [`SkillSource::read`].
    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        self.inner().read(package, resource, limit)
    }
}

/// A source with overridden methods. Scans of some packages and digests come from these methods,
/// as they do by default in [`SkillSource`], so that no call passes by an overridden one.
#[derive(Debug, Default)]
pub struct OverriddenSource<T>(pub T);

/// For the other methods of the test's type.
impl<T> Deref for OverriddenSource<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: SourceOverrides> SkillSource for OverriddenSource<T> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn root(&self) -> &str {
        self.0.root()
    }

    fn cache_key(&self) -> Option<String> {
        self.0.cache_key()
    }

    fn identity(&self, package: &PackagePath) -> Option<String> {
        self.0.identity(package)
    }

    fn altered(&self, id: &str, directory: &str) -> Option<String> {
        self.0.altered(id, directory)
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        self.0.scan(previous, sink, cancel)
    }

    fn watch(&self, listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        self.0.watch(listener)
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        self.0.list(package, most)
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        self.0.read(package, resource, limit)
    }
}

/// Calls a function before each scan.
struct BeforeScan {
    inner: Arc<dyn SkillSource>,
    call: Box<dyn Fn(&Cancel) + Send + Sync>,
}

impl SourceOverrides for BeforeScan {
    fn inner(&self) -> &dyn SkillSource {
        &*self.inner
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        (self.call)(cancel);
        self.inner.scan(previous, sink, cancel)
    }
}

/// Returns a source that calls a function before each scan of the wrapped one, such as to wait for
/// what a test does meanwhile.
pub fn before_scan(
    inner: Arc<dyn SkillSource>,
    call: impl Fn(&Cancel) + Send + Sync + 'static,
) -> Arc<dyn SkillSource> {
    Arc::new(OverriddenSource(BeforeScan { inner, call: Box::new(call) }))
}
