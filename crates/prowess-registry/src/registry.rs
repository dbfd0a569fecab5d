//! The registry: scans sources, resolves catalogs, and swaps them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use prowess_core::{
    Audience, Cancel, Catalog, CatalogProvider, Diagnostic, FolderTrust, HostCommands, PackagePath,
    Ranker, Severity, SkillSource, SourceError,
};

use crate::auditor::Auditor;
use crate::body_cache::BodyCache;
use crate::cause::{ReloadCause, Request};
use crate::changes::Changes;
use crate::collect::{RecordOptions, collect_traced};
use crate::first_scans::{FirstScan, FirstScans, State};
use crate::published::Published;
use crate::readiness::Readiness;
use crate::resolve_input::Scans;
use crate::resolver::Resolver;
use crate::scanned::{Delta, Registered, Scanned};
use crate::scope::{OnMissingSkill, Part, Scope};
use crate::single_flight::{Run, SingleFlight};
use crate::sync::{Mutex, lock};
use crate::{CatalogChange, Subscription, codes, trace};

/// Builds catalogs from sources, and provides the newest one.
///
/// Any number of threads may read while one reloads: [`CatalogProvider::catalog`] is one atomic
/// load. Reloads run one at a time, and those that are requested meanwhile share the next one.
pub struct Registry {
    resolver: Resolver,
    context: RegistryContext,
    /// The version of the trust in folders that the newest catalog is based on.
    trusted: AtomicU64,
    /// The number of scans that have failed.
    failures: AtomicU64,
    /// The input of the next reload. Readers never lock it.
    scanned: Mutex<Scanned>,
    /// The first scans, if the host did not wait for all.
    first: OnceLock<Arc<FirstScans>>,
    requests: SingleFlight<Request, Outcome>,
    published: Published<Catalog, Arc<CatalogChange>>,
}

/// The services of the host.
pub(crate) struct RegistryContext {
    /// The findings about the configuration.
    pub(crate) findings: Vec<Diagnostic>,
    pub(crate) auditor: Option<Auditor>,
    pub(crate) ranker: Option<Arc<dyn Ranker>>,
    pub(crate) trust: Arc<dyn FolderTrust>,
    pub(crate) commands: HostCommands,
    /// The body caches of the sources; empty if bodies are not cached.
    pub(crate) bodies: Vec<Arc<BodyCache>>,
}

/// The result of a reload.
#[derive(Clone, Debug)]
pub struct Reload {
    /// The reason for it.
    pub cause: ReloadCause,
    /// The catalog after it; the same one as before if nothing has changed.
    pub catalog: Arc<Catalog>,
    /// The differences from the previous scan.
    pub changes: Changes,
    /// The ids that were added, removed and changed.
    pub change: Arc<CatalogChange>,
}

/// The result of a reload, for the refresher.
#[derive(Clone)]
pub(crate) struct Outcome {
    pub(crate) reload: Reload,
    /// Packages that were missing or broken and are unchanged until a second scan, by source.
    pub(crate) unconfirmed: Vec<(usize, PackagePath)>,
}

impl Registry {
    pub(crate) fn new(
        resolver: Resolver,
        sources: Vec<Registered>,
        context: RegistryContext,
    ) -> Self {
        Self {
            resolver,
            context,
            trusted: AtomicU64::default(),
            failures: AtomicU64::default(),
            scanned: Mutex::new(Scanned::new(sources)),
            first: OnceLock::new(),
            requests: SingleFlight::new(),
            published: Published::new(Arc::new(Catalog::empty())),
        }
    }

    /// Returns the newest catalog for `audience`: it includes skills that are only for this
    /// audience, and omits those for others. It is built on first use and cached until the next
    /// reload that changes something.
    ///
    /// Waits neither for another reader nor for a reload.
    pub fn view(&self, audience: &Audience) -> Arc<Catalog> {
        self.resolver.view(audience).unwrap_or_else(|| self.catalog())
    }

    /// Scans every source and swaps the catalog if anything has changed.
    ///
    /// A source that fails keeps its last good scan, with a diagnostic. A reload in progress may
    /// already have passed some sources, so it is followed by one more, which all concurrent
    /// callers share; readers of the catalog never wait.
    pub fn reload(&self) -> Reload {
        self.reload_for(ReloadCause::Manual)
    }

    /// As [`Self::reload`], for another cause than a call by the host.
    pub fn reload_for(&self, cause: ReloadCause) -> Reload {
        self.request(Scope::All, cause, None).reload
    }

    /// As the first [`Self::reload`], but goes without the sources that have not answered when
    /// `until` is cancelled, or in the time of [`SkillSource::patience`]. Each of them has a
    /// finding, and is added by another reload as soon as it answers; until then, no reload waits
    /// for it.
    pub fn start_until(self: &Arc<Self>, until: &Cancel) -> Reload {
        let first = |registered: &Registered| FirstScan {
            source: Arc::clone(&registered.source),
            restored: Arc::clone(&registered.records),
            options: RecordOptions { policy: registered.policy, generation: 1 },
        };
        let inputs = lock(&self.scanned).sources.iter().map(first).collect();
        let registry = Arc::downgrade(self);
        let add = move |source| registry.upgrade().iter().for_each(|it| it.add_late(source));
        let registry = Arc::downgrade(self);
        let cancel = Cancel::with_poll(move || registry.strong_count() == 0);
        let first = FirstScans::new(inputs, cancel, add);
        self.first.get_or_init(|| first).run(until);
        self.reload_for(ReloadCause::Start)
    }

    /// Adds a source whose first scan has ended after the first reload.
    fn add_late(&self, source: usize) {
        let part = Part::whole(OnMissingSkill::Accept);
        let parts = BTreeMap::from([(source, part)]);
        self.request(Scope::Sources(parts), ReloadCause::Watch, None);
    }

    /// As [`Self::reload`], but ends soon after `cancel`. Sources that were not scanned until then
    /// count as failed.
    pub fn reload_until(&self, cancel: &Cancel) -> Reload {
        self.request(Scope::All, ReloadCause::Manual, Some(cancel)).reload
    }

    /// Evicts the cached body of a skill, by its id, qualified id, alias or location. The next load
    /// reads it again. Returns whether there is such a skill.
    pub fn evict_body(&self, reference: &str) -> bool {
        let catalog = self.catalog();
        let skills = catalog.all_named(reference);
        for record in &skills {
            if let Some(bodies) = self.context.bodies.get(record.index().source()) {
                bodies.evict(&record.package());
            }
        }
        !skills.is_empty()
    }

    /// Evicts every cached body.
    pub fn evict_bodies(&self) {
        self.context.bodies.iter().for_each(|bodies| bodies.evict_all());
    }

    /// Subscribes to changes of the catalog.
    pub fn subscribe(&self) -> Subscription {
        self.subscribe_with(|| {})
    }

    /// As [`Self::subscribe`], and calls `wake` for each notice. It runs on the thread that
    /// reloads, so it must return quickly, for example after waking a task.
    pub fn subscribe_with(&self, wake: impl Fn() + Send + Sync + 'static) -> Subscription {
        Subscription::new(self.published.subscribe(Box::new(wake)))
    }

    /// Publishes a new catalog with a finding of the host, which later catalogs contain, too.
    pub fn add_finding(&self, finding: Diagnostic) {
        let mut scanned = lock(&self.scanned);
        scanned.added.push(finding);
        scanned.is_unpublished = true;
        drop(scanned);
        self.request(Scope::none(), ReloadCause::Finding, None);
    }

    /// Returns the result of a reload that started after this call and covers `scope`.
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

    /// Returns the number of scans of a source that have failed since the start.
    pub fn failed_scans(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    pub(crate) fn is_reloading(&self) -> bool {
        self.requests.is_running()
    }

    /// Resolves the catalog again if the trust in folders may have changed since the last reload.
    pub(crate) fn reload_if_trust_changed(&self, cancel: &Cancel) -> Option<Reload> {
        let has_changed = self.context.trust.version() != self.trusted.load(Ordering::Acquire);
        has_changed.then(|| self.request(Scope::none(), ReloadCause::Trust, Some(cancel)).reload)
    }

    pub(crate) fn sources(&self) -> Vec<Arc<dyn SkillSource>> {
        lock(&self.scanned)
            .sources
            .iter()
            .map(|registered| Arc::clone(&registered.source))
            .collect()
    }

    /// Sets the finding about the watch of a source, from the next reload on.
    pub(crate) fn remark(&self, source: usize, remark: Option<Diagnostic>) {
        lock(&self.scanned).sources[source].remark = remark;
    }

    fn run(&self, request: &Request, cancel: &Cancel) -> Run<Outcome> {
        let next = self.published.load().generation() + 1;
        let cause = if next == 1 { ReloadCause::Start } else { request.cause };
        let span = trace::reload(cause);
        let _entered = span.enter();
        // A panic of a source leaves the last good scans as they were.
        let mut scanned = lock(&self.scanned);
        let was_unpublished = std::mem::replace(&mut scanned.is_unpublished, true);
        let mut outcome = self.nothing(cause);
        let mut delta = Delta::default();
        let sources = &mut scanned.sources;
        delta.records = self.scan(&request.scope, cancel, next, sources, &mut outcome);
        // Later changes of trust are covered by the next reload.
        let version = self.context.trust.version();
        delta.trust = scanned.update_trust(&*self.context.trust, &self.context.commands);
        delta.findings = scanned.update_findings(self.context.trust.finding());
        let readiness = self.resolver.readiness(&scanned.catalog_sources());
        delta.readiness = self.resolver.is_new(&readiness);
        if next == 1 || was_unpublished || !delta.is_empty() {
            let catalog =
                Arc::new(self.resolve(&scanned, readiness, next, &outcome.reload.catalog));
            drop(scanned);
            self.publish(catalog, &mut outcome.reload);
            scanned = lock(&self.scanned);
        }
        scanned.is_unpublished = false;
        drop(scanned);
        // Not before readers have the catalog: a turn that starts meanwhile waits for it.
        self.trusted.store(version, Ordering::Release);
        Run { result: outcome, is_complete: !cancel.is_cancelled() }
    }

    /// Publishes a catalog, once the ranker is ready for it.
    fn publish(&self, catalog: Arc<Catalog>, reload: &mut Reload) {
        if let Some(ranker) = &self.context.ranker {
            ranker.prepare(&catalog, &reload.catalog);
        }
        let between = |earlier: &_, later: &_| Arc::new(CatalogChange::between(earlier, later));
        reload.change = self.published.publish(&catalog, between);
        trace::swapped(reload.catalog.generation(), &catalog);
        trace::found(&reload.catalog, &catalog);
        if let Some(auditor) = &self.context.auditor {
            auditor.report(reload.cause, &reload.change, &reload.catalog, &catalog);
        }
        reload.catalog = catalog;
    }

    /// Scans the sources of the scope. Returns whether a record has changed.
    fn scan(
        &self,
        scope: &Scope,
        cancel: &Cancel,
        generation: u64,
        sources: &mut [Registered],
        outcome: &mut Outcome,
    ) -> bool {
        let mut has_changed = false;
        for (number, registered) in sources.iter_mut().enumerate() {
            let Some(part) = scope.part(number) else { continue };
            let source = registered.source.as_ref();
            let options = RecordOptions { policy: registered.policy, generation };
            let first = self.first.get().map_or(State::Used, |first| first.take(number));
            has_changed |= matches!(first, State::Ended(_));
            let scanned = match first {
                State::Ended(result) => result,
                State::Used => collect_traced(source, &registered.records, &part, options, cancel),
                State::Running | State::Late => {
                    registered.records = Arc::default();
                    registered.failure = Some(late(source));
                    continue;
                }
            };
            match scanned {
                Ok(collected) => {
                    registered.records = collected.records;
                    registered.failure = None;
                    outcome.reload.changes += collected.changes;
                    let unconfirmed = collected.unconfirmed.into_iter();
                    outcome.unconfirmed.extend(unconfirmed.map(|package| (number, package)));
                    has_changed |= !collected.is_same;
                }
                Err(error) => {
                    self.failures.fetch_add(1, Ordering::Relaxed);
                    // Records restored from a cache are not used as a fallback.
                    if generation == 1 {
                        registered.records = Arc::default();
                    }
                    registered.failure = Some(failure(source, &error));
                }
            }
        }
        has_changed
    }

    fn resolve(
        &self,
        scanned: &Scanned,
        readiness: Readiness,
        generation: u64,
        last: &Catalog,
    ) -> Catalog {
        let scans = Scans {
            sources: scanned.catalog_sources(),
            withheld: scanned.sources.iter().map(Registered::reason_withheld).collect(),
            hidden: scanned.sources.iter().map(|it| it.hidden.clone()).collect(),
            findings: self
                .context
                .findings
                .iter()
                .chain(&scanned.findings)
                .chain(&scanned.added)
                .cloned()
                .collect(),
            generation,
        };
        trace::resolve(generation).in_scope(|| self.resolver.resolve(scans, readiness, last))
    }

    /// Returns the result of a reload that finds no change.
    fn nothing(&self, cause: ReloadCause) -> Outcome {
        let catalog = self.published.load();
        let generation = catalog.generation();
        let change = CatalogChange { from: generation, to: generation, ..CatalogChange::default() };
        let reload =
            Reload { cause, catalog, changes: Changes::default(), change: Arc::new(change) };
        Outcome { reload, unconfirmed: Vec::new() }
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.first.get().iter().for_each(|first| first.wait());
    }
}

impl CatalogProvider for Registry {
    fn catalog(&self) -> Arc<Catalog> {
        self.published.load()
    }
}

fn failure(source: &dyn SkillSource, error: &SourceError) -> Diagnostic {
    let message = format!("source `{}` could not be scanned: {error}", source.name());
    let help = "fix the source and reload; until then its last good scan is used";
    Diagnostic::new(codes::SOURCE_FAILED, Severity::Error, message, help).in_file(source.root())
}

fn late(source: &dyn SkillSource) -> Diagnostic {
    let message = format!("source `{}` has not answered yet", source.name());
    let help =
        "its skills are offered as soon as it does; see why it is slow, or give it more time";
    Diagnostic::new(codes::SOURCE_LATE, Severity::Warning, message, help).in_file(source.root())
}
