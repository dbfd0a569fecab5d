//! A source that wraps another one, for tests that override single methods.

use std::ops::Deref;
use std::sync::Arc;

use prowess_core::{
    Cancel, ChangeListener, Listing, PackagePath, PreviousScan, ReadLimit, ResourcePath, ScanSink,
    ScanSummary, SkillSource, SourceError, Watch,
};

/// Defines methods of a source that call those of another one.
macro_rules! methods_of {
    ($this:ident: $source:expr) => {
        fn name(&$this) -> &str {
            $source.name()
        }

        fn root(&$this) -> &str {
            $source.root()
        }

        fn cache_key(&$this) -> Option<String> {
            $source.cache_key()
        }

        fn identity(&$this, package: &PackagePath) -> Option<String> {
            $source.identity(package)
        }

        fn altered(&$this, id: &str, directory: &str) -> Option<String> {
            $source.altered(id, directory)
        }

        fn scan(
            &$this,
            previous: &PreviousScan<'_>,
            sink: &mut dyn ScanSink,
            cancel: &Cancel,
        ) -> Result<ScanSummary, SourceError> {
            $source.scan(previous, sink, cancel)
        }

        fn watch(&$this, listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
            $source.watch(listener)
        }

        fn list(&$this, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
            $source.list(package, most)
        }

        fn read(
            &$this,
            package: &PackagePath,
            resource: &ResourcePath,
            limit: ReadLimit,
        ) -> Result<Vec<u8>, SourceError> {
            $source.read(package, resource, limit)
        }
    };
}

/// The methods of an [`OverriddenSource`], by the names that they have in [`SkillSource`]. Each
/// calls the wrapped source by default.
#[expect(missing_docs, reason = "the methods are those of `SkillSource`")]
pub trait SourceOverrides: Send + Sync {
    /// Returns the wrapped source.
    fn inner(&self) -> &dyn SkillSource;

    methods_of!(self: self.inner());
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
    methods_of!(self: self.0);
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
