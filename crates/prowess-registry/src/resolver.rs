//! Resolves the records of every source into a catalog for one audience.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use prowess_core::{Audience, Catalog, CatalogSource};

use crate::copies::{Copies, DigestCache};
use crate::precedence::resolve;
use crate::readiness::Readiness;
use crate::resolve_input::{ResolveInput, ResolveSettings, Scans};
use crate::visibility::VisibilityFilter;

/// The maximum number of cached views. A host usually has few agents and tenants at a time; an
/// evicted view is built again.
const MAX_VIEWS: usize = 64;

/// Resolves catalogs, and caches those for other audiences than the registry's own.
pub(crate) struct Resolver {
    rules: ResolveSettings,
    digests: DigestCache,
    last: ArcSwapOption<ResolvedState>,
}

/// The input of the last catalog, and the views of it so far.
struct ResolvedState {
    scans: Scans,
    readiness: Readiness,
    views: ArcSwapOption<Vec<View>>,
}

/// The catalog for one audience. The key is the whole audience, so that a view is never served to
/// another one.
struct View {
    audience: Audience,
    catalog: Arc<Catalog>,
}

impl Resolver {
    pub(crate) fn new(rules: ResolveSettings) -> Self {
        Self { rules, digests: DigestCache::default(), last: ArcSwapOption::empty() }
    }

    /// Returns the requirements of the records that the machine does not meet.
    pub(crate) fn readiness(&self, sources: &[CatalogSource]) -> Readiness {
        Readiness::ask(sources, self.rules.facts.as_deref())
    }

    /// Returns whether the readiness differs from that of the last catalog.
    pub(crate) fn is_new(&self, readiness: &Readiness) -> bool {
        self.last.load().as_ref().is_none_or(|last| last.readiness != *readiness)
    }

    /// Returns the catalog for the registry's own audience, which follows `last`.
    pub(crate) fn resolve(&self, scans: Scans, readiness: Readiness, last: &Catalog) -> Catalog {
        let revised = self.revise(&scans, &readiness, last);
        let state = ResolvedState { scans, readiness, views: ArcSwapOption::empty() };
        let catalog = revised.unwrap_or_else(|| self.resolve_for(&state, &self.rules.audience));
        self.last.store(Some(Arc::new(state)));
        catalog
    }

    /// Returns the catalog for another audience; `None` for the registry's own, and before the
    /// first catalog.
    pub(crate) fn view(&self, audience: &Audience) -> Option<Arc<Catalog>> {
        if *audience == self.rules.audience {
            return None;
        }
        let state = self.last.load_full()?;
        if let Some(catalog) = state.find(audience) {
            return Some(catalog);
        }
        let catalog = self.resolve_for(&state, audience);
        Some(state.keep(audience, Arc::new(catalog)))
    }

    /// Returns the last catalog with the current records, if no change affects which skills are
    /// offered. Most changes affect a description or a body, and cost only as much as their size.
    fn revise(&self, scans: &Scans, readiness: &Readiness, last: &Catalog) -> Option<Catalog> {
        let state = self.last.load();
        let state = state.as_deref()?;
        // If a panic prevented its publication, the state is not that of the last catalog.
        let is_alike = state.scans.generation == last.generation()
            && state.readiness == *readiness
            && state.scans.withheld == scans.withheld
            && state.scans.hidden == scans.hidden
            && state.scans.findings == scans.findings
            && !scans.sources.iter().any(requires_versions);
        if is_alike { last.revised(&scans.sources, scans.generation) } else { None }
    }

    fn resolve_for(&self, state: &ResolvedState, audience: &Audience) -> Catalog {
        let ResolvedState { scans, readiness, .. } = state;
        let filter = VisibilityFilter { policy: &self.rules.visibility, audience, readiness };
        let copies = Copies { digests: &self.digests, sources: &scans.sources };
        resolve(&ResolveInput { rules: &self.rules, scans, filter, copies })
    }
}

impl ResolvedState {
    fn find(&self, audience: &Audience) -> Option<Arc<Catalog>> {
        let views = self.views.load();
        let view = views.as_ref()?.iter().find(|view| view.audience == *audience)?;
        Some(Arc::clone(&view.catalog))
    }

    /// Caches a view. If another thread has already cached one, returns that, so that each audience
    /// has one catalog.
    fn keep(&self, audience: &Audience, catalog: Arc<Catalog>) -> Arc<Catalog> {
        self.views.rcu(|views| {
            let known = views.iter().flat_map(|views| views.iter());
            let is_kept = known.clone().any(|view| view.audience == *audience);
            if is_kept {
                return views.clone();
            }
            let first = known.clone().count().saturating_sub(MAX_VIEWS - 1);
            let mut next: Vec<_> = known.skip(first).map(View::share).collect();
            next.push(View { audience: audience.clone(), catalog: Arc::clone(&catalog) });
            Some(Arc::new(next))
        });
        self.find(audience).unwrap_or(catalog)
    }
}

impl View {
    fn share(&self) -> Self {
        Self { audience: self.audience.clone(), catalog: Arc::clone(&self.catalog) }
    }
}

/// Returns whether a skill of the source requires a version of another one. Then a change of a
/// version may affect the findings.
fn requires_versions(source: &CatalogSource) -> bool {
    let mut conditioned = source.records.conditioned();
    conditioned.any(|(_, conditions)| conditions.skills.iter().any(|skill| skill.contains('@')))
}
