//! Several rankers as one.

use std::sync::Arc;

use prowess_core::{Catalog, Ranked, Ranker};

use crate::fuse;
use crate::hit::{first, ranked};

/// How many skills are requested from each ranker. The number is fixed, so that a smaller limit
/// returns a prefix of the result for a larger one.
const DEPTH: usize = 100;

/// Asks several rankers and joins their answers by [`fuse`]: words find what is named, meaning
/// finds what is meant, and skills that both find rank first.
///
/// Each ranker contributes at most its best 100 skills.
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
