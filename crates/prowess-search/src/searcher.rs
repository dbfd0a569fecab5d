//! The ranker over the indexes of the catalogs in use.

use std::sync::Arc;

use prowess_core::{Catalog, Ranked, Ranker};

use crate::SearchIndex;
use crate::hit::ranked;
use crate::per_catalog::PerCatalog;

/// Ranks by BM25 over name, tags and description, with English stemming. Adds the long form of a
/// common abbreviation, and replaces a word that no skill has by the most similar terms, or by
/// those that begin with it.
///
/// The first search builds the index of its catalog. After that, [`Ranker::prepare`], which a
/// registry calls before each swap, builds the index of the next catalog next to the one in use, so
/// searches never wait. For a catalog that was not prepared, such as another audience's, the first
/// search builds the index and concurrent searches wait for it.
#[derive(Debug, Default)]
pub struct Searcher {
    indexes: PerCatalog<SearchIndex>,
}

impl Searcher {
    /// Creates a searcher without indexes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the index of a catalog, building it if it is not cached. Call it before a new
    /// catalog is used, so that no search waits.
    pub fn index(&self, catalog: &Arc<Catalog>) -> Arc<SearchIndex> {
        self.indexes.of(catalog, SearchIndex::build)
    }

    /// Returns the index of a catalog, if it was built.
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

/// Ranks a catalog as a [`Searcher`] does, for a program that searches once: it reads what this
/// query asks for, and keeps no index.
pub fn search_once<'c>(catalog: &'c Arc<Catalog>, query: &str, limit: usize) -> Vec<Ranked<'c>> {
    ranked(catalog, SearchIndex::for_query(catalog, query).top(query, limit))
}
