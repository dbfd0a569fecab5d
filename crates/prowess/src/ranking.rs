//! The default ranker.

use std::sync::Arc;

use prowess_core::Ranker;

/// Returns a ranker that searches by words.
#[cfg(feature = "search")]
pub(crate) fn default_ranker() -> Arc<dyn Ranker> {
    Arc::new(prowess_search::Searcher::new())
}

/// Returns a ranker that finds nothing: without the feature `search`, the host brings its own.
#[cfg(not(feature = "search"))]
pub(crate) fn default_ranker() -> Arc<dyn Ranker> {
    Arc::new(NoSearch)
}

#[cfg(not(feature = "search"))]
struct NoSearch;

#[cfg(not(feature = "search"))]
impl Ranker for NoSearch {
    fn rank<'c>(
        &self,
        _: &'c Arc<prowess_core::Catalog>,
        _: &str,
        _: usize,
    ) -> Vec<prowess_core::Ranked<'c>> {
        Vec::new()
    }
}
