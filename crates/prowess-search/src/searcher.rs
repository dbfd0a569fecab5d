//! The ranker over the indexes of the catalogs in use.

use std::sync::Arc;

use prowess_core::{Catalog, Ranked, Ranker};

use crate::SearchIndex;
use crate::index::ranked;
use crate::per_catalog::PerCatalog;

/// Ranks by BM25 over name, tags and description, with English stemming, and with the nearest terms in
/// the place of words that no skill has.
///
/// The index of the first catalog is built when it is first asked for. From then on that of the next one
/// is built beside the one in use and ready when the catalogs are swapped, if whoever swaps them calls
/// [`Ranker::prepare`], as a registry does: who searches never waits. Of a catalog that was not prepared
/// for, such as another audience's, the first search builds the index; who searches it at the same time
/// waits for the one.
#[derive(Debug, Default)]
pub struct Searcher {
    indexes: PerCatalog<SearchIndex>,
}

impl Searcher {
    /// A searcher that has built nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The index of a catalog, built now if it is not there. Call it before a new catalog is used, and
    /// no search waits for it.
    pub fn index(&self, catalog: &Arc<Catalog>) -> Arc<SearchIndex> {
        self.indexes.of(catalog, SearchIndex::build)
    }

    /// The index of a catalog, if it was built.
    pub fn prepared(&self, catalog: &Catalog) -> Option<Arc<SearchIndex>> {
        self.indexes.kept(catalog)
    }
}

impl Ranker for Searcher {
    fn rank<'c>(&self, catalog: &'c Arc<Catalog>, query: &str, limit: usize) -> Vec<Ranked<'c>> {
        ranked(catalog, self.index(catalog).top(query, limit))
    }

    fn prepare(&self, next: &Arc<Catalog>, current: &Catalog) {
        self.indexes.prepare(next, current, SearchIndex::build);
    }
}
