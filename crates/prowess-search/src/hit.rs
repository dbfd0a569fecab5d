//! Hits of a search, and the skills they stand for.

use std::sync::Arc;

use prowess_core::{Catalog, Ranked};

/// A skill that suits a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Its position among the catalog's skills.
    pub position: usize,
    /// How well it suits.
    pub score: f32,
}

/// Returns the first `limit` skills, the result of a blank query.
pub(crate) fn first(limit: usize) -> Vec<Hit> {
    (0..limit).map(|position| Hit { position, score: 0.0 }).collect()
}

pub(crate) fn ranked(catalog: &Arc<Catalog>, hits: Vec<Hit>) -> Vec<Ranked<'_>> {
    hits.into_iter()
        .filter_map(|Hit { position, score }| {
            catalog.skill_at(position).map(|record| Ranked { record, score })
        })
        .collect()
}
