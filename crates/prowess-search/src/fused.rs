//! Several rankers as one.

use std::sync::Arc;

use hashbrown::HashMap;
use prowess_core::{Catalog, Ranked, Ranker, Record};

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
    /// Creates a ranker over these.
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

/// How little the first places count beyond the later ones; the usual value.
const FLATNESS: f32 = 60.0;

/// Joins rankings of one catalog by reciprocal rank: a skill gets `1 / (60 + rank)` from each
/// ranking that has it, and the sum is its score. Scores of different rankers need not be
/// comparable for that.
///
/// Returns at most `limit` skills, the best first; equal ones by id.
pub fn fuse<'c>(rankings: &[Vec<Ranked<'c>>], limit: usize) -> Vec<Ranked<'c>> {
    let mut scores: HashMap<&str, (Record<'c>, f32)> = HashMap::new();
    for ranking in rankings {
        let mut place = FLATNESS;
        for ranked in ranking {
            place += 1.0;
            let (_, score) = scores.entry(ranked.record.id()).or_insert((ranked.record, 0.0));
            *score += 1.0 / place;
        }
    }
    let mut fused: Vec<_> =
        scores.into_values().map(|(record, score)| Ranked { record, score }).collect();
    fused.sort_unstable_by(|one, other| {
        let by_score = other.score.total_cmp(&one.score);
        by_score.then_with(|| one.record.id().cmp(other.record.id()))
    });
    fused.truncate(limit);
    fused
}
