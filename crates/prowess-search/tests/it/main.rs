//! The found skills, their order, and changes that an index ignores.

mod fuse;
mod probing;
mod properties;
mod quality;
mod searcher;
#[cfg(feature = "semantic")]
mod semantic;
mod stored;
mod substring;
mod typos;

#[allow(dead_code, reason = "only its tests are used")]
#[path = "../../src/distance.rs"]
mod distance;
#[allow(dead_code, reason = "only its tests are used")]
#[path = "../../src/exclusions.rs"]
mod exclusions;
#[allow(dead_code, reason = "only its tests are used")]
#[path = "../../src/stopwords.rs"]
mod stopwords;

use std::sync::Arc;

use prowess_core::{Catalog, Ranker};
use prowess_search::Searcher;
use prowess_testkit::memory_catalog;

fn catalog(skills: &[(&str, &str)]) -> Arc<Catalog> {
    memory_catalog(skills.iter().map(|&(name, description)| (name, description, &[][..])))
}

/// The ids that a query finds, the best first.
fn found(catalog: &Arc<Catalog>, query: &str) -> Vec<String> {
    ids(&Searcher::new(), catalog, query)
}

fn ids(ranker: &dyn Ranker, catalog: &Arc<Catalog>, query: &str) -> Vec<String> {
    let ranked = ranker.rank(catalog, query, 10);
    ranked.iter().map(|ranked| ranked.record.id().to_owned()).collect()
}
