//! Which skills suit a query, the best first.

use std::sync::Arc;

use crate::{Catalog, Record};

/// Ranks the skills of a catalog for a query.
///
/// # Behavior
///
/// - The answer has visible skills of `catalog` only, each at most once, and at most `limit` of them.
/// - The best come first. Scores are finite and never negative; equal scores go by id.
/// - The same catalog, query and limit give the same answer, from any thread and at any time.
/// - The answer for a smaller limit is the beginning of the answer for a larger one.
/// - A blank query gives the skills by id, each with a score of 0.
/// - Any other text may be a query. What is not understood gives nothing, and what is too long is cut.
/// - Whether a catalog was prepared for changes no answer.
pub trait Ranker: Send + Sync {
    /// The `limit` skills that suit `query` best.
    ///
    /// The catalog comes with its reference count, so that what a ranker prepares for it can be kept
    /// for the next query and told from what belongs to another catalog.
    fn rank<'c>(&self, catalog: &'c Arc<Catalog>, query: &str, limit: usize) -> Vec<Ranked<'c>>;

    /// Makes ready what it takes to rank the skills of `next`, which is about to take the place of
    /// `current` and that no reader has yet. Who ranked none of `current` may leave it.
    ///
    /// By default nothing is made ready.
    fn prepare(&self, next: &Arc<Catalog>, current: &Catalog) {
        let _ = (next, current);
    }
}

/// A skill with what a ranker thinks of it.
#[derive(Clone, Copy, Debug)]
pub struct Ranked<'c> {
    /// The skill.
    pub record: Record<'c>,
    /// How well it suits the query. Only comparable inside one answer of one ranker.
    pub score: f32,
}
