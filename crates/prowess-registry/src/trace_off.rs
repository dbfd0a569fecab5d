//! The spans and events of a reload in a build without the feature `tracing`: none.

use prowess_core::{Catalog, SourceChange, SourceError};

use crate::cause::ReloadCause;
use crate::changes::Changes;

/// A span that is not recorded.
pub(crate) struct Span;

/// Nothing to leave.
pub(crate) struct Entered;

impl Span {
    pub(crate) fn enter(&self) -> Entered {
        Entered
    }

    pub(crate) fn in_scope<T>(&self, work: impl FnOnce() -> T) -> T {
        work()
    }
}

pub(crate) fn reload(_: ReloadCause) -> Span {
    Span
}

pub(crate) fn scan(_: &str, _: &str) -> Span {
    Span
}

pub(crate) fn resolve(_: u64) -> Span {
    Span
}

pub(crate) fn record_changes(_: &Span, _: &Changes) {}

pub(crate) fn record_error(_: &Span, _: &SourceError) {}

pub(crate) fn swapped(_: u64, _: &Catalog) {}

pub(crate) fn found(_: &Catalog, _: &Catalog) {}

pub(crate) fn watched(_: &str, _: &SourceChange) {}
