//! A source that wraps another one, for tests that override single methods.

use std::ops::Deref;
use std::sync::Arc;

use prowess_core::{Cancel, PreviousScan, ScanSink, ScanSummary, SkillSource, SourceError};

/// The methods of an [`OverriddenSource`]. Each calls the wrapped source by default.
pub trait SourceOverrides: Send + Sync {
    prowess_core::forward_source! {
        [inner()] name root cache_key identity altered scan watch list read
    }

    /// Returns the wrapped source.
    fn inner(&self) -> &dyn SkillSource;
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
    prowess_core::forward_source! {
        [0] name root cache_key identity altered scan watch list read
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
