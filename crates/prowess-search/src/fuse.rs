//! Joins several rankings into one.

use hashbrown::HashMap;
use prowess_core::{Ranked, Record};

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
