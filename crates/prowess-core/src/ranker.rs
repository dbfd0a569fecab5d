//! The trait that ranks skills for a query.

use std::sync::Arc;

use crate::{Catalog, Record};

/// Ranks the skills of a catalog for a query.
///
/// # Behavior
///
/// - The result contains visible skills of `catalog` only, each at most once, and at most `limit`
///   of them.
/// - The best come first. Scores are finite and never negative; equal scores are sorted by id.
/// - The same catalog, query and limit give the same result, from any thread and at any time.
/// - The result for a smaller limit is a prefix of the result for a larger one.
/// - A blank query returns the skills by id, each with a score of 0.
/// - Any text may be a query. Unsupported terms match nothing, and a query that is too long is
///   truncated.
/// - `prepare` never changes a result.
pub trait Ranker: Send + Sync {
    /// Returns the `limit` best matches for `query`.
    ///
    /// The catalog is passed in its `Arc`, so that a ranker can keep an index of it for the next
    /// query and detect another catalog.
    fn rank<'c>(&self, catalog: &'c Arc<Catalog>, query: &str, limit: usize) -> Vec<Ranked<'c>>;

    /// Prepares to rank the skills of `next`, which is about to replace `current` and is not
    /// visible to readers yet. A ranker that never ranked `current` may do nothing.
    ///
    /// By default, does nothing.
    fn prepare(&self, next: &Arc<Catalog>, current: &Catalog) {
        let _ = (next, current);
    }
}

/// A skill with its score.
#[derive(Clone, Copy, Debug)]
pub struct Ranked<'c> {
    /// The skill.
    pub record: Record<'c>,
    /// The score for the query, comparable only within one result of one ranker.
    pub score: f32,
}
