//! The plain filter.

use std::sync::Arc;

use prowess_core::{Catalog, Ranked, Ranker, Record};

/// Returns the skills whose id, name or a tag has the query in it, whatever the case of its
/// letters, by id. It needs no index and does not rank: each hit has a score of 1, or of 0 for a
/// blank query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Substring;

impl Ranker for Substring {
    fn rank<'c>(&self, catalog: &'c Arc<Catalog>, query: &str, limit: usize) -> Vec<Ranked<'c>> {
        let part = query.trim().to_lowercase();
        let score = if part.is_empty() { 0.0 } else { 1.0 };
        let hits = catalog.skills().filter(|skill| has(*skill, &part)).take(limit);
        hits.map(|record| Ranked { record, score }).collect()
    }
}

fn has(skill: Record<'_>, part: &str) -> bool {
    let mut texts = [skill.id(), skill.name()].into_iter().chain(skill.tags());
    texts.any(|text| text.to_lowercase().contains(part))
}
