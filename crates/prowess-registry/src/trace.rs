//! The spans and events of a reload. Their names and fields are in the guide
//! `prowess::guide::traces`.

use std::collections::HashSet;

use prowess_core::{Catalog, Diagnostic, Severity, SourceChange, SourceError};
use tracing::field::Empty;
use tracing::{Level, Span, debug, debug_span, enabled, info, info_span, warn};

use crate::cause::ReloadCause;
use crate::changes::Changes;

/// Returns the span of a reload, from its first scan to the notification of subscribers.
pub(crate) fn reload(cause: ReloadCause) -> Span {
    info_span!(target: "prowess", "reload", cause = cause.as_str())
}

/// Returns the span of the scan of one source.
pub(crate) fn scan(source: &str, root: &str) -> Span {
    debug_span!(
        target: "prowess",
        "scan",
        source,
        root,
        added = Empty,
        changed = Empty,
        removed = Empty,
        unchanged = Empty,
        rejected = Empty,
        error = Empty
    )
}

/// Records the result of a scan on its span.
pub(crate) fn record_changes(span: &Span, changes: &Changes) {
    let Changes { added, changed, removed, unchanged, rejected } = *changes;
    let counts = [
        ("added", added),
        ("changed", changed),
        ("removed", removed),
        ("unchanged", unchanged),
        ("rejected", rejected),
    ];
    for (field, count) in counts {
        span.record(field, count);
    }
}

/// Records the error of a failed scan on its span.
pub(crate) fn record_error(span: &Span, error: &SourceError) {
    span.record("error", tracing::field::display(error));
}

/// Returns the span of the resolution of ids and audiences.
pub(crate) fn resolve(generation: u64) -> Span {
    debug_span!(target: "prowess", "resolve", generation)
}

/// Emits the event of a published catalog.
pub(crate) fn swapped(before: u64, catalog: &Catalog) {
    let generation = catalog.generation();
    let skills = catalog.len();
    info!(name: "swap", target: "prowess", before, generation, skills, "catalog swapped");
}

/// Emits the warnings and errors of a catalog that the one before it does not have.
pub(crate) fn found(before: &Catalog, after: &Catalog) {
    // Without a subscriber, nothing is compared.
    if !enabled!(target: "prowess", Level::WARN) {
        return;
    }
    let known: HashSet<_> = before.diagnostics().map(identity).collect();
    let new = after.diagnostics().filter(|found| !known.contains(&identity(found)));
    for found in new.filter(|found| found.severity >= Severity::Warning) {
        let [code, path] = [found.code.as_str(), found.path.as_deref().unwrap_or_default()];
        warn!(name: "finding", target: "prowess", code, path, "finding");
    }
}

/// Returns the identity of a finding.
fn identity(found: &Diagnostic) -> (&str, Option<&str>, &str) {
    (found.code.as_str(), found.path.as_deref(), &found.message)
}

/// Emits the event of a change that a watched source reported.
pub(crate) fn watched(source: &str, change: &SourceChange) {
    match change {
        SourceChange::Packages(packages) => {
            let packages = packages.len();
            debug!(name: "watch", target: "prowess", source, packages, "packages changed");
        }
        SourceChange::WatchLost(error) => {
            debug!(name: "watch", target: "prowess", source, %error, "watch lost");
        }
        _ => debug!(name: "watch", target: "prowess", source, "source changed"),
    }
}
