//! Several rankers as one.

use std::sync::Arc;

use prowess_core::{Catalog, Ranked, Ranker};

use crate::fuse;
use crate::index::{first, ranked};

/// How many skills each ranker is asked for. A fixed number, so that a smaller limit gives the beginning
/// of what a larger one gives.
const DEPTH: usize = 100;

/// Asks several rankers and joins their answers by [`fuse`]: words find what is named, meaning finds
/// what is meant, and what both find stands first.
///
/// Each ranker gives at most its 100 best, so an answer has at most so many for each of them.
pub struct Fused {
    rankers: Vec<Arc<dyn Ranker>>,
}

impl Fused {
    /// A ranker over these.
    pub fn new(rankers: impl IntoIterator<Item = Arc<dyn Ranker>>) -> Self {
        Self { rankers: rankers.into_iter().collect() }
    }
}

impl std::fmt::Debug for Fused {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Fused({} rankers)", self.rankers.len())
    }
}

impl Ranker for Fused {
    fn rank<'c>(&self, catalog: &'c Arc<Catalog>, query: &str, limit: usize) -> Vec<Ranked<'c>> {
        if query.trim().is_empty() {
            return ranked(catalog, first(limit.min(catalog.len())));
        }
        let answers = self.rankers.iter().map(|ranker| ranker.rank(catalog, query, DEPTH));
        fuse(&answers.collect::<Vec<_>>(), limit)
    }

    fn prepare(&self, next: &Arc<Catalog>, current: &Catalog) {
        for ranker in &self.rankers {
            ranker.prepare(next, current);
        }
    }
}
