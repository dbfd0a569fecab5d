//! The registry itself: scans, settles, and swaps.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use prowess_core::{
    AskedFolder, Audience, Cancel, Catalog, CatalogProvider, CatalogSource, Diagnostic,
    FolderTrust, PackagePath, Ranker, RecordSet, Severity, SkillSource, SourceError,
};

use crate::auditor::Auditor;
use crate::bodies::KeptBodies;
use crate::cause::{ReloadCause, Request};
use crate::changes::Changes;
use crate::coalesce::{Coalescer, Run};
use crate::collect::{RecordOptions, collect};
use crate::folder::{self, Withheld};
use crate::policy::RegistryPolicy;
use crate::published::Published;
use crate::resolve_input::Scans;
use crate::scope::Scope;
use crate::settler::Settler;
use crate::sync::{Mutex, lock};
use crate::{CatalogChange, Subscription, codes, trace};

/// Builds catalogs from sources and hands out the newest.
///
/// Any number of threads may read while one reloads: [`CatalogProvider::catalog`] is one atomic load.
/// Reloads run one at a time, and those that are asked for meanwhile share the next one.
pub struct Registry {
    settler: Settler,
    host: Host,
    /// The version of the trust in folders that the newest catalog is based on.
    trusted: AtomicU64,
    /// What the next reload builds on. Readers never touch it.
    scanned: Mutex<Scanned>,
    requests: Coalescer<Request, Outcome>,
    published: Published<Catalog, Arc<CatalogChange>>,
}

/// What the host brings along.
pub(crate) struct Host {
    pub(crate) policy: RegistryPolicy,
    /// What was found of the configuration, before any scan.
    pub(crate) findings: Vec<Diagnostic>,
    pub(crate) auditor: Option<Auditor>,
    pub(crate) ranker: Option<Arc<dyn Ranker>>,
    pub(crate) trust: Arc<dyn FolderTrust>,
    /// The texts that are kept of each source; empty where none are.
    pub(crate) bodies: Vec<Arc<KeptBodies>>,
}

/// The outcome of the last reload, for the next one.
struct Scanned {
    sources: Vec<Registered>,
    /// What the catalog says of the sources themselves.
    told: Vec<Diagnostic>,
    /// What the host found after the first scan.
    added: Vec<Diagnostic>,
    /// Whether readers do not have what was scanned: a reload is under way, or a panic has ended it.
    is_unpublished: bool,
}

/// A source with its last good scan.
pub(crate) struct Registered {
    pub(crate) layer: usize,
    pub(crate) source: Arc<dyn SkillSource>,
    pub(crate) records: Arc<RecordSet>,
    /// The folder that has to be trusted before any of its skills is offered.
    pub(crate) asked: Option<AskedFolder>,
    /// Why none of its skills is offered, where that is so.
    pub(crate) withheld: Option<Withheld>,
    /// Why the last scan failed.
    pub(crate) failure: Option<Diagnostic>,
    /// What is to be said of how the source is watched.
    pub(crate) remark: Option<Diagnostic>,
}

/// What a reload did.
#[derive(Clone, Debug)]
pub struct Reload {
    /// The reason for it.
    pub cause: ReloadCause,
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
    pub(crate) unconfirmed: Vec<(usize, PackagePath)>,
}

impl Registry {
    pub(crate) fn new(settler: Settler, sources: Vec<Registered>, host: Host) -> Self {
        let scanned = Mutex::new(Scanned {
            sources,
            told: Vec::new(),
            added: Vec::new(),
            is_unpublished: false,
        });
        let published = Published::new(Arc::new(Catalog::empty()));
        let (requests, trusted) = (Coalescer::new(), AtomicU64::default());
        Self { settler, host, trusted, scanned, requests, published }
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
        self.reload_for(ReloadCause::Manual)
    }

    /// As [`Self::reload`], for another cause than a call of the host's.
    pub fn reload_for(&self, cause: ReloadCause) -> Reload {
        self.request(Scope::All, cause, None).reload
    }

    /// As [`Self::reload`], ending soon after `cancel`: the sources that were not scanned by then
    /// count as failed.
    pub fn reload_until(&self, cancel: &Cancel) -> Reload {
        self.request(Scope::All, ReloadCause::Manual, Some(cancel)).reload
    }

    /// Forgets the text of a skill that is kept for the next who loads it, by its id, qualified id, alias or
    /// place; whether there is such a skill. Whoever loads it next reads it anew.
    pub fn forget_body(&self, typed: &str) -> bool {
        let catalog = self.catalog();
        let meant = catalog.all_named(typed);
        for record in &meant {
            if let Some(bodies) = self.host.bodies.get(record.index().source()) {
                bodies.forget(&record.package());
            }
        }
        !meant.is_empty()
    }

    /// Forgets every text that is kept.
    pub fn forget_bodies(&self) {
        self.host.bodies.iter().for_each(|bodies| bodies.forget_all());
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

    /// Adds a finding of the host's to every catalog from now on, beginning with a new one.
    pub fn add_finding(&self, finding: Diagnostic) {
        let mut scanned = lock(&self.scanned);
        scanned.added.push(finding);
        scanned.is_unpublished = true;
        drop(scanned);
        self.request(Scope::none(), ReloadCause::Finding, None);
    }

    /// The outcome of a reload that began after this call and looked at `scope`.
    pub(crate) fn request(
        &self,
        scope: Scope,
        cause: ReloadCause,
        cancel: Option<&Cancel>,
    ) -> Outcome {
        let never = Cancel::default();
        let run = |request: Request| self.run(&request, cancel.unwrap_or(&never));
        let request = Request { scope, cause };
        self.requests.request(request, cancel, run).unwrap_or_else(|| self.nothing(cause))
    }

    /// Whether a reload is under way.
    pub(crate) fn is_reloading(&self) -> bool {
        self.requests.is_running()
    }

    /// Settles the catalog anew if the user may have said since the last reload that another folder is
    /// trusted, or one no more.
    pub(crate) fn heed_trust(&self, cancel: &Cancel) -> Option<Reload> {
        let has_changed = self.host.trust.version() != self.trusted.load(Ordering::Acquire);
        has_changed.then(|| self.request(Scope::none(), ReloadCause::Trust, Some(cancel)).reload)
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

    fn run(&self, request: &Request, cancel: &Cancel) -> Run<Outcome> {
        let next = self.published.load().generation() + 1;
        let cause = if next == 1 { ReloadCause::Start } else { request.cause };
        let span = trace::reload(cause);
        let _entered = span.enter();
        let scope = &request.scope;
        // A panic of a source leaves the last good scans as they were.
        let mut scanned = lock(&self.scanned);
        let was_unpublished = std::mem::replace(&mut scanned.is_unpublished, true);
        let mut outcome = self.nothing(cause);
        let is_same = self.scan(scope, cancel, next, &mut scanned.sources, &mut outcome);
        // What the user says from here on is heard by the next reload.
        let version = self.host.trust.version();
        let is_same = self.ask_for_trust(&mut scanned.sources) && is_same;
        let told = self.told(&scanned.sources);
        let was_told = std::mem::replace(&mut scanned.told, told);
        let has_news = was_unpublished
            || was_told != scanned.told
            || !is_same
            || self.settler.has_news(&scanned.catalog_sources());
        if next == 1 || has_news {
            let catalog = Arc::new(self.settle(&scanned, next, &outcome.reload.catalog));
            drop(scanned);
            self.publish(catalog, &mut outcome.reload);
            scanned = lock(&self.scanned);
        }
        scanned.is_unpublished = false;
        drop(scanned);
        // Not before readers have the catalog: a turn that begins meanwhile waits for it.
        self.trusted.store(version, Ordering::Release);
        Run { result: outcome, is_whole: !cancel.is_cancelled() }
    }

    /// Hands a catalog to the readers, once the ranker is ready for it.
    fn publish(&self, catalog: Arc<Catalog>, reload: &mut Reload) {
        if let Some(ranker) = &self.host.ranker {
            ranker.prepare(&catalog, &reload.catalog);
        }
        let between = |earlier: &_, later: &_| Arc::new(CatalogChange::between(earlier, later));
        reload.change = self.published.publish(&catalog, between);
        trace::swapped(reload.catalog.generation(), &catalog);
        if let Some(auditor) = &self.host.auditor {
            auditor.tell(&reload.catalog, &catalog);
        }
        reload.catalog = catalog;
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
            let options = RecordOptions { policy: self.host.policy, generation };
            // Most skills bear the name of their directory.
            let likely = |package: &str| {
                let directory = package.rsplit('/').next().unwrap_or_default();
                let at = outcome.reload.catalog.get(directory)?.index();
                (at.source() == number).then_some(at.entry())
            };
            let span = trace::scan(source.name());
            let _entered = span.enter();
            match collect(source, &registered.records, likely, &part, options, cancel) {
                Ok(collected) => {
                    registered.records = collected.records;
                    registered.failure = None;
                    trace::record_changes(&span, &collected.changes);
                    outcome.reload.changes += collected.changes;
                    let unconfirmed = collected.unconfirmed.into_iter();
                    outcome.unconfirmed.extend(unconfirmed.map(|package| (number, package)));
                    is_same &= collected.is_same;
                }
                Err(error) => {
                    span.record("error", tracing::field::display(&error));
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

    /// Asks which folders are trusted; whether the answers are those of before.
    fn ask_for_trust(&self, sources: &mut [Registered]) -> bool {
        let trust = &*self.host.trust;
        let mut is_same = true;
        for registered in sources {
            let answer = registered.asked.as_ref().and_then(|asked| folder::ask(asked, trust));
            is_same &= answer == registered.withheld;
            registered.withheld = answer;
        }
        is_same
    }

    /// What is to be said of the sources themselves, each thing once.
    fn told(&self, sources: &[Registered]) -> Vec<Diagnostic> {
        let mut told = Vec::new();
        let of_sources = sources.iter().flat_map(Registered::told).cloned();
        for finding in self.host.trust.finding().into_iter().chain(of_sources) {
            if !told.contains(&finding) {
                told.push(finding);
            }
        }
        told
    }

    fn settle(&self, scanned: &Scanned, generation: u64, last: &Catalog) -> Catalog {
        let scans = Scans {
            sources: scanned.catalog_sources(),
            withheld: scanned.sources.iter().map(Registered::withheld).collect(),
            findings: self
                .host
                .findings
                .iter()
                .chain(&scanned.told)
                .chain(&scanned.added)
                .cloned()
                .collect(),
            generation,
        };
        trace::resolve(generation).in_scope(|| self.settler.settle(scans, last))
    }

    /// The outcome of a reload that finds nothing new.
    fn nothing(&self, cause: ReloadCause) -> Outcome {
        let catalog = self.published.load();
        let generation = catalog.generation();
        let change = CatalogChange { from: generation, to: generation, ..CatalogChange::default() };
        let reload =
            Reload { cause, catalog, changes: Changes::default(), change: Arc::new(change) };
        Outcome { reload, unconfirmed: Vec::new() }
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
        asked: Option<AskedFolder>,
    ) -> Self {
        let records = Arc::new(RecordSet::default());
        Self { layer, source, records, asked, withheld: None, failure: None, remark: None }
    }

    fn withheld(&self) -> Option<Box<str>> {
        self.withheld.as_ref().map(|withheld| withheld.reason.clone())
    }

    /// What is to be said of the source itself. That it is withheld is worth a word where there is
    /// something to withhold.
    fn told(&self) -> impl Iterator<Item = &Diagnostic> {
        let has_any = !self.records.is_empty() || self.records.diagnostics().next().is_some();
        let withheld = self.withheld.as_ref().filter(|_| has_any);
        let withheld = withheld.map(|withheld| &withheld.finding);
        withheld.into_iter().chain(&self.failure).chain(&self.remark)
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
        "fix the source and reload; until then its last good scan is used",
    )
    .in_file(source.root())
}
