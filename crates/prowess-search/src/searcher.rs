//! The ranker over the indexes of the catalogs in use.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use arc_swap::ArcSwap;
use prowess_core::{Catalog, Ranked, Ranker};

use crate::{Hit, SearchIndex};

/// How many indexes are kept: that of the newest catalog, and that of the one before, to which turns
/// that have begun still keep.
const KEPT: usize = 2;

/// Ranks by BM25 over name, tags and description, with English stemming, and with the nearest terms in
/// the place of words that no skill has.
///
/// The index of a catalog is built when it is first asked for, beside the one in use, and swapped in
/// with one atomic write: who searches an older catalog meanwhile never waits. Who asks for the same
/// new catalog at the same time waits for the one index.
#[derive(Debug, Default)]
pub struct Searcher {
    /// The newest first.
    indexes: ArcSwap<Vec<Arc<Indexed>>>,
    building: Mutex<()>,
}

#[derive(Debug)]
struct Indexed {
    /// Which catalog: no other has this address as long as the index is kept, and the catalog itself
    /// may go.
    catalog: Weak<Catalog>,
    index: Arc<SearchIndex>,
}

impl Searcher {
    /// A searcher that has built nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The index of a catalog, built now if it is not there. Call it before a new catalog is used, and
    /// no search waits for it.
    pub fn index(&self, catalog: &Arc<Catalog>) -> Arc<SearchIndex> {
        self.kept(catalog).unwrap_or_else(|| self.build(catalog))
    }

    fn kept(&self, catalog: &Arc<Catalog>) -> Option<Arc<SearchIndex>> {
        let indexes = self.indexes.load();
        let of_it = indexes.iter().find(|indexed| indexed.is_of(catalog));
        of_it.map(|indexed| Arc::clone(&indexed.index))
    }

    fn build(&self, catalog: &Arc<Catalog>) -> Arc<SearchIndex> {
        // Only whole lists are ever stored, so a panic of another builder leaves nothing half done.
        let _building = self.building.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = self.kept(catalog) {
            return index;
        }
        let index = Arc::new(SearchIndex::build(catalog));
        let new = Indexed { catalog: Arc::downgrade(catalog), index: Arc::clone(&index) };
        let earlier = self.indexes.load();
        let in_use = earlier.iter().filter(|indexed| indexed.catalog.strong_count() > 0).cloned();
        let kept = std::iter::once(Arc::new(new)).chain(in_use).take(KEPT).collect();
        self.indexes.store(Arc::new(kept));
        index
    }
}

impl Indexed {
    fn is_of(&self, catalog: &Arc<Catalog>) -> bool {
        std::ptr::eq(self.catalog.as_ptr(), Arc::as_ptr(catalog))
    }
}

impl Ranker for Searcher {
    fn rank<'c>(&self, catalog: &'c Arc<Catalog>, query: &str, limit: usize) -> Vec<Ranked<'c>> {
        let hits = self.index(catalog).top(query, limit);
        let ranked = |Hit { position, score }| {
            catalog.skill_at(position).map(|record| Ranked { record, score })
        };
        hits.into_iter().filter_map(ranked).collect()
    }
}
