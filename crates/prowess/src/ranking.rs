//! The default ranker.

use std::sync::Arc;

use prowess_core::Ranker;

/// Returns a ranker that searches by words.
#[cfg(feature = "search")]
pub(crate) fn default_ranker() -> Arc<dyn Ranker> {
    Arc::new(prowess_search::Searcher::new())
}

/// Returns a filter by words: without the feature `search`, the host brings a better ranker.
#[cfg(not(feature = "search"))]
pub(crate) fn default_ranker() -> Arc<dyn Ranker> {
    Arc::new(prowess_tools::WordFilter)
}
