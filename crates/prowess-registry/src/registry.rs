//! The registry itself: scans, settles, and swaps.

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use prowess_core::{
    Cancel, Catalog, CatalogProvider, CatalogSource, Diagnostic, Layer, RecordSet, Severity,
    SkillSource, SourceError,
};

use crate::builder::RegistryBuilder;
use crate::codes;
use crate::collect::collect;
use crate::policy::RegistryPolicy;
use crate::precedence::settle;

/// Builds catalogs from sources and hands out the newest.
///
/// Any number of threads may read while one reloads: [`CatalogProvider::catalog`] is one atomic load,
/// and reloads take turns among themselves.
pub struct Registry {
    layers: Vec<Layer>,
    policy: RegistryPolicy,
    /// What was found of the configuration, before any scan.
    findings: Vec<Diagnostic>,
    /// What the next reload builds on. Readers never touch it.
    scanned: Mutex<Scanned>,
    current: ArcSwap<Catalog>,
}

/// The outcome of the last reload, for the next one.
struct Scanned {
    sources: Vec<Registered>,
    failures: Vec<Diagnostic>,
}

/// A source with its last good scan.
pub(crate) struct Registered {
    pub(crate) layer: usize,
    pub(crate) source: Arc<dyn SkillSource>,
    pub(crate) records: Arc<RecordSet>,
    /// Why none of its skills is offered, where that is so.
    pub(crate) withheld: Option<Box<str>>,
}

/// What a reload did.
#[derive(Clone, Debug)]
pub struct Reload {
    /// The catalog after it; the very catalog of before if nothing has changed.
    pub catalog: Arc<Catalog>,
    /// What differs from the scan before.
    pub changes: Changes,
}

/// How many packages a reload found in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changes {
    /// Skills that were not there before.
    pub added: usize,
    /// Skills whose file is another one than before.
    pub changed: usize,
    /// Skills that are no longer there or no longer usable.
    pub removed: usize,
    /// Skills that are as they were.
    pub unchanged: usize,
    /// Packages that were found and cannot be used, and were not known before.
    pub rejected: usize,
}

impl Registry {
    /// Begins a registry without layers.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    pub(crate) fn new(
        layers: Vec<Layer>,
        sources: Vec<Registered>,
        policy: RegistryPolicy,
        findings: Vec<Diagnostic>,
    ) -> Self {
        let scanned = Mutex::new(Scanned { sources, failures: Vec::new() });
        let current = ArcSwap::from_pointee(Catalog::empty());
        Self { layers, policy, findings, scanned, current }
    }

    /// Scans every source and swaps the catalog if anything has changed.
    ///
    /// A source that fails keeps its last good scan, with a diagnostic. Waits for a reload that is
    /// under way; readers of the catalog never wait.
    pub fn reload(&self) -> Reload {
        self.reload_until(&Cancel::default())
    }

    /// As [`Self::reload`], ending soon after `cancel`: the sources that were not scanned by then
    /// count as failed.
    pub fn reload_until(&self, cancel: &Cancel) -> Reload {
        // A panic of a source leaves the last good scans as they were.
        let mut scanned = self.scanned.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changes = Changes::default();
        let mut failures = Vec::new();
        let mut is_same = self.current.load().generation() > 0;
        for registered in &mut scanned.sources {
            match collect(registered.source.as_ref(), &registered.records, self.policy, cancel) {
                Ok(collected) => {
                    registered.records = collected.records;
                    changes += collected.changes;
                    is_same &= collected.is_same;
                }
                Err(error) => failures.push(failure(registered.source.as_ref(), &error)),
            }
        }
        is_same &= scanned.failures == failures;
        scanned.failures = failures;
        if !is_same {
            self.current.store(Arc::new(self.settle(&scanned)));
        }
        Reload { catalog: self.current.load_full(), changes }
    }

    fn settle(&self, scanned: &Scanned) -> Catalog {
        let source = |registered: &Registered| CatalogSource {
            layer: registered.layer,
            source: Arc::clone(&registered.source),
            records: Arc::clone(&registered.records),
        };
        let sources = scanned.sources.iter().map(source).collect();
        let withheld: Vec<_> =
            scanned.sources.iter().map(|registered| registered.withheld.as_deref()).collect();
        let generation = self.current.load().generation() + 1;
        let findings = self.findings.iter().chain(&scanned.failures).cloned().collect();
        settle(self.layers.clone(), sources, &withheld, findings, generation)
    }
}

impl CatalogProvider for Registry {
    fn catalog(&self) -> Arc<Catalog> {
        self.current.load_full()
    }
}

fn failure(source: &dyn SkillSource, error: &SourceError) -> Diagnostic {
    Diagnostic::new(
        codes::SOURCE_FAILED,
        Severity::Error,
        format!("source `{}` could not be scanned: {error}", source.name()),
        "mend the source and reload; until then its last good scan is used",
    )
    .in_file(source.root())
}

impl Changes {
    /// Whether nothing differs.
    pub fn is_none(&self) -> bool {
        let Self { added, changed, removed, unchanged: _, rejected } = *self;
        added + changed + removed + rejected == 0
    }
}

impl std::ops::AddAssign for Changes {
    fn add_assign(&mut self, more: Self) {
        self.added += more.added;
        self.changed += more.changed;
        self.removed += more.removed;
        self.unchanged += more.unchanged;
        self.rejected += more.rejected;
    }
}
