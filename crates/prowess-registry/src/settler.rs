//! From the records of every source to a catalog, for one audience or another.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use prowess_core::{Audience, Catalog, CatalogSource};

use crate::copies::{Copies, Verdicts};
use crate::precedence::settle;
use crate::readiness::Readiness;
use crate::resolve_input::{ResolveInput, Rules, Scans};
use crate::visibility::VisibilityFilter;

/// How many views are kept. A host has a handful of agents and tenants at a time; a view that is gone is
/// made again.
const MOST_VIEWS: usize = 64;

/// Settles catalogs, and keeps what was settled for other audiences.
pub(crate) struct Settler {
    rules: Rules,
    copies: Copies,
    last: ArcSwapOption<Ground>,
}

/// What the last catalog was made from, and the views on it so far.
struct Ground {
    scans: Scans,
    readiness: Readiness,
    /// What was found of copies, so that each view finds the same.
    verdicts: Verdicts,
    views: ArcSwapOption<Vec<View>>,
}

/// The key is the whole audience: what one may see is never handed to another.
struct View {
    audience: Audience,
    catalog: Arc<Catalog>,
}

impl Settler {
    pub(crate) fn new(rules: Rules) -> Self {
        Self { rules, copies: Copies::default(), last: ArcSwapOption::empty() }
    }

    /// Whether the machine has, or lacks, what it did not when the last catalog was settled.
    pub(crate) fn has_news(&self, sources: &[CatalogSource]) -> bool {
        let readiness = Readiness::ask(sources, self.rules.facts.as_deref());
        self.last.load().as_ref().is_none_or(|last| last.readiness != readiness)
    }

    /// The catalog for the registry's own audience, after the one that was settled last.
    pub(crate) fn settle(&self, scans: Scans, last: &Catalog) -> Catalog {
        let readiness = Readiness::ask(&scans.sources, self.rules.facts.as_deref());
        let verdicts = Verdicts::default();
        let catalog = self.revise(&scans, &readiness, last).unwrap_or_else(|| {
            self.settle_for((&scans, &readiness, &verdicts), &self.rules.audience)
        });
        let views = ArcSwapOption::empty();
        self.last.store(Some(Arc::new(Ground { scans, readiness, verdicts, views })));
        catalog
    }

    /// The catalog for another audience; none for the registry's own, and before the first was settled.
    pub(crate) fn view(&self, audience: &Audience) -> Option<Arc<Catalog>> {
        if *audience == self.rules.audience {
            return None;
        }
        let ground = self.last.load_full()?;
        if let Some(catalog) = ground.find(audience) {
            return Some(catalog);
        }
        let Ground { scans, readiness, verdicts, .. } = &*ground;
        let catalog = self.settle_for((scans, readiness, verdicts), audience);
        Some(ground.keep(audience, Arc::new(catalog)))
    }

    /// The last catalog with what the scans say now, if nothing has changed that decides what is offered:
    /// most changes are of a description or a body, and they cost as much as they are large.
    fn revise(&self, scans: &Scans, readiness: &Readiness, last: &Catalog) -> Option<Catalog> {
        let ground = self.last.load();
        let Ground { scans: of_last, readiness: was_ready, .. } = ground.as_deref()?;
        // A catalog that a panic kept from the readers is not the last one.
        let is_alike = of_last.generation == last.generation()
            && was_ready == readiness
            && of_last.withheld == scans.withheld
            && of_last.findings == scans.findings;
        if is_alike { last.revised(&scans.sources, scans.generation) } else { None }
    }

    fn settle_for(
        &self,
        (scans, readiness, verdicts): (&Scans, &Readiness, &Verdicts),
        audience: &Audience,
    ) -> Catalog {
        let filter = VisibilityFilter { policy: &self.rules.visibility, audience, readiness };
        let copies = (&self.copies, verdicts);
        settle(&ResolveInput { rules: &self.rules, scans, filter, copies })
    }
}

impl Ground {
    fn find(&self, audience: &Audience) -> Option<Arc<Catalog>> {
        let views = self.views.load();
        let view = views.as_ref()?.iter().find(|view| view.audience == *audience)?;
        Some(Arc::clone(&view.catalog))
    }

    /// Keeps a view, unless another thread was faster: then that one is used, so that whoever asks for
    /// one audience gets one catalog.
    fn keep(&self, audience: &Audience, catalog: Arc<Catalog>) -> Arc<Catalog> {
        self.views.rcu(|views| {
            let known = views.iter().flat_map(|views| views.iter());
            let is_kept = known.clone().any(|view| view.audience == *audience);
            if is_kept {
                return views.clone();
            }
            let first = known.clone().count().saturating_sub(MOST_VIEWS - 1);
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
