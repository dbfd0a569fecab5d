//! The spans and events of a reload. Their names and fields are in ARCHITECTURE.md.

use prowess_core::{Catalog, SourceChange};
use tracing::field::Empty;
use tracing::{Span, debug, debug_span, info, info_span};

use crate::cause::ReloadCause;
use crate::changes::Changes;

/// A reload, from its first scan to the notification of subscribers.
pub(crate) fn reload(cause: ReloadCause) -> Span {
    info_span!(target: "prowess", "reload", cause = cause.as_str())
}

/// The scan of one source.
pub(crate) fn scan(source: &str) -> Span {
    debug_span!(
        target: "prowess",
        "scan",
        source,
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

/// The resolution of ids, and of the audience of each skill.
pub(crate) fn resolve(generation: u64) -> Span {
    debug_span!(target: "prowess", "resolve", generation)
}

/// Readers have another catalog.
pub(crate) fn swapped(before: u64, catalog: &Catalog) {
    let generation = catalog.generation();
    let skills = catalog.len();
    info!(name: "swap", target: "prowess", before, generation, skills, "catalog swapped");
}

/// A watched source reported a change.
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
