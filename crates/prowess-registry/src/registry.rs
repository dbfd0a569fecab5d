//! The registry itself: scans, settles, and swaps.

use std::sync::Arc;

use prowess_core::{
    Audience, Cancel, Catalog, CatalogProvider, CatalogSource, Diagnostic, PackagePath, RecordSet,
    Severity, SkillSource, SourceError,
};

use crate::auditor::Auditor;
use crate::builder::RegistryBuilder;
use crate::coalesce::{Coalescer, Run};
use crate::collect::{Making, collect};
use crate::policy::RegistryPolicy;
use crate::published::Published;
use crate::scope::Scope;
use crate::settler::{Scans, Settler};
use crate::sync::{Mutex, lock};
use crate::{CatalogChange, Subscription, codes};

/// Builds catalogs from sources and hands out the newest.
///
/// Any number of threads may read while one reloads: [`CatalogProvider::catalog`] is one atomic load.
/// Reloads run one at a time, and those that are asked for meanwhile share the next one.
pub struct Registry {
    settler: Settler,
    policy: RegistryPolicy,
    /// What was found of the configuration, before any scan.
    findings: Vec<Diagnostic>,
    auditor: Option<Auditor>,
    /// What the next reload builds on. Readers never touch it.
    scanned: Mutex<Scanned>,
    requests: Coalescer<Scope, Outcome>,
    published: Published<Catalog, Arc<CatalogChange>>,
}

/// The outcome of the last reload, for the next one.
struct Scanned {
    sources: Vec<Registered>,
    /// What the catalog says of the sources themselves.
    told: Vec<Diagnostic>,
}

/// A source with its last good scan.
pub(crate) struct Registered {
    pub(crate) layer: usize,
    pub(crate) source: Arc<dyn SkillSource>,
    pub(crate) records: Arc<RecordSet>,
    /// Why none of its skills is offered, where that is so.
    pub(crate) withheld: Option<Box<str>>,
    /// Why the last scan failed.
    pub(crate) failure: Option<Diagnostic>,
    /// What is to be said of how the source is watched.
    pub(crate) remark: Option<Diagnostic>,
}

/// What a reload did.
#[derive(Clone, Debug)]
pub struct Reload {
    /// The catalog after it; the very catalog of before if nothing has changed.
    pub catalog: Arc<Catalog>,
    /// What differs from the scan before.
    pub changes: Changes,
    /// The ids that come, go and change with it.
    pub change: Arc<CatalogChange>,
}

/// A reload as those see it who drive it.
#[derive(Clone)]
pub(crate) struct Outcome {
    pub(crate) reload: Reload,
    /// What was missing or broken and stays as it was until somebody asks again, by source.
    pub(crate) doubted: Vec<(usize, PackagePath)>,
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
        settler: Settler,
        sources: Vec<Registered>,
        policy: RegistryPolicy,
        findings: Vec<Diagnostic>,
        auditor: Option<Auditor>,
    ) -> Self {
        let scanned = Mutex::new(Scanned { sources, told: Vec::new() });
        let published = Published::new(Arc::new(Catalog::empty()));
        let requests = Coalescer::new();
        Self { settler, policy, findings, auditor, scanned, requests, published }
    }

    /// The newest catalog as `audience` has it: with the skills that are for it alone, and without those
    /// that are not. It is made on first use and kept until the next reload changes something.
    ///
    /// Waits for no other reader and for no reload.
    pub fn view(&self, audience: &Audience) -> Arc<Catalog> {
        self.settler.view(audience).unwrap_or_else(|| self.catalog())
    }

    /// Scans every source and swaps the catalog if anything has changed.
    ///
    /// A source that fails keeps its last good scan, with a diagnostic. A reload that is under way may
    /// have passed what this one is asked for, so it is waited for and followed by one more, which
    /// everybody shares who asked meanwhile; readers of the catalog never wait.
    pub fn reload(&self) -> Reload {
        self.request(Scope::All, None).reload
    }

    /// As [`Self::reload`], ending soon after `cancel`: the sources that were not scanned by then
    /// count as failed.
    pub fn reload_until(&self, cancel: &Cancel) -> Reload {
        self.request(Scope::All, Some(cancel)).reload
    }

    /// Hears of each change of the catalog from now on.
    pub fn subscribe(&self) -> Subscription {
        self.subscribe_with(|| {})
    }

    /// As [`Self::subscribe`], and `wake` is called each time there is something to fetch. It runs on
    /// the thread that reloads, so it only takes note: it wakes a task and returns.
    pub fn subscribe_with(&self, wake: impl Fn() + Send + Sync + 'static) -> Subscription {
        Subscription::new(self.published.subscribe(Box::new(wake)))
    }

    /// The outcome of a reload that began after this call and looked at `scope`.
    pub(crate) fn request(&self, scope: Scope, cancel: Option<&Cancel>) -> Outcome {
        let never = Cancel::default();
        let run = |scope| self.run(&scope, cancel.unwrap_or(&never));
        self.requests.request(scope, cancel, run).unwrap_or_else(|| self.nothing())
    }

    /// Whether a reload is under way.
    pub(crate) fn is_reloading(&self) -> bool {
        self.requests.is_running()
    }

    /// The sources, by their numbers.
    pub(crate) fn sources(&self) -> Vec<Arc<dyn SkillSource>> {
        lock(&self.scanned)
            .sources
            .iter()
            .map(|registered| Arc::clone(&registered.source))
            .collect()
    }

    /// Says in every catalog from the next reload on how a source is watched.
    pub(crate) fn remark(&self, source: usize, remark: Option<Diagnostic>) {
        lock(&self.scanned).sources[source].remark = remark;
    }

    fn run(&self, scope: &Scope, cancel: &Cancel) -> Run<Outcome> {
        // A panic of a source leaves the last good scans as they were.
        let mut scanned = lock(&self.scanned);
        let mut outcome = self.nothing();
        let next = self.published.load().generation() + 1;
        let is_same = self.scan(scope, cancel, next, &mut scanned.sources, &mut outcome);
        let told = scanned.sources.iter().flat_map(Registered::told).cloned().collect();
        let was_told = std::mem::replace(&mut scanned.told, told);
        let has_news = was_told != scanned.told
            || !is_same
            || self.settler.has_news(&scanned.catalog_sources());
        if next == 1 || has_news {
            let catalog = Arc::new(self.settle(&scanned, next, &outcome.reload.catalog));
            drop(scanned);
            let between = |earlier: &_, later: &_| Arc::new(CatalogChange::between(earlier, later));
            outcome.reload.change = self.published.publish(&catalog, between);
            if let Some(auditor) = &self.auditor {
                auditor.tell(&outcome.reload.catalog, &catalog);
            }
            outcome.reload.catalog = catalog;
        }
        Run { result: outcome, is_whole: !cancel.is_cancelled() }
    }

    /// Scans what is in the scope; whether all records say what they said before.
    fn scan(
        &self,
        scope: &Scope,
        cancel: &Cancel,
        generation: u64,
        sources: &mut [Registered],
        outcome: &mut Outcome,
    ) -> bool {
        let mut is_same = true;
        for (number, registered) in sources.iter_mut().enumerate() {
            let Some(part) = scope.part(number) else { continue };
            let source = registered.source.as_ref();
            let making = Making { policy: self.policy, generation };
            // Most skills bear the name of their directory.
            let likely = |package: &str| {
                let directory = package.rsplit('/').next().unwrap_or_default();
                let at = outcome.reload.catalog.get(directory)?.index();
                (at.source() == number).then_some(at.entry())
            };
            match collect(source, &registered.records, likely, &part, making, cancel) {
                Ok(collected) => {
                    registered.records = collected.records;
                    registered.failure = None;
                    outcome.reload.changes += collected.changes;
                    let doubted = collected.doubted.into_iter();
                    outcome.doubted.extend(doubted.map(|package| (number, package)));
                    is_same &= collected.is_same;
                }
                Err(error) => {
                    // What an earlier run of the program found is nothing to go on with.
                    if generation == 1 {
                        registered.records = Arc::default();
                    }
                    registered.failure = Some(failure(source, &error));
                }
            }
        }
        is_same
    }

    fn settle(&self, scanned: &Scanned, generation: u64, last: &Catalog) -> Catalog {
        let scans = Scans {
            sources: scanned.catalog_sources(),
            withheld: scanned.sources.iter().map(|source| source.withheld.clone()).collect(),
            findings: self.findings.iter().chain(&scanned.told).cloned().collect(),
            generation,
        };
        self.settler.settle(scans, last)
    }

    /// The outcome of a reload that finds nothing new.
    fn nothing(&self) -> Outcome {
        let catalog = self.published.load();
        let generation = catalog.generation();
        let change = CatalogChange { from: generation, to: generation, ..CatalogChange::default() };
        let reload = Reload { catalog, changes: Changes::default(), change: Arc::new(change) };
        Outcome { reload, doubted: Vec::new() }
    }
}

impl Scanned {
    fn catalog_sources(&self) -> Vec<CatalogSource> {
        let source = |registered: &Registered| CatalogSource {
            layer: registered.layer,
            source: Arc::clone(&registered.source),
            records: Arc::clone(&registered.records),
        };
        self.sources.iter().map(source).collect()
    }
}

impl Registered {
    pub(crate) fn new(
        layer: usize,
        source: Arc<dyn SkillSource>,
        withheld: Option<Box<str>>,
    ) -> Self {
        let records = Arc::new(RecordSet::default());
        Self { layer, source, records, withheld, failure: None, remark: None }
    }

    /// What is to be said of the source itself.
    fn told(&self) -> impl Iterator<Item = &Diagnostic> {
        self.failure.iter().chain(&self.remark)
    }
}

impl CatalogProvider for Registry {
    fn catalog(&self) -> Arc<Catalog> {
        self.published.load()
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
