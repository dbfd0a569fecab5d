//! The ranker of a toolbox that has no other.

use std::sync::Arc;

use prowess_core::{Catalog, Ranked, Ranker, Record};

/// The maximum length of a query, in bytes. A longer one is cut.
const MOST_BYTES: usize = 4096;

/// Finds the skills whose id, name, description or tags contain every word of the query, in the
/// order of their ids. It ignores case and builds no index.
#[derive(Clone, Copy, Debug, Default)]
pub struct WordFilter;

impl Ranker for WordFilter {
    fn rank<'c>(&self, catalog: &'c Arc<Catalog>, query: &str, limit: usize) -> Vec<Ranked<'c>> {
        let query = query[..query.floor_char_boundary(MOST_BYTES)].to_lowercase();
        let words: Vec<_> = query.split_whitespace().collect();
        let score = if words.is_empty() { 0.0 } else { 1.0 };
        let found = catalog.skills().filter(|record| has_words(*record, &words));
        found.take(limit).map(|record| Ranked { record, score }).collect()
    }
}

fn has_words(record: Record<'_>, words: &[&str]) -> bool {
    if words.is_empty() {
        return true;
    }
    let mut text = [record.id(), record.name(), record.description()].join("\n");
    for tag in record.tags() {
        text.push('\n');
        text.push_str(tag);
    }
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(word))
}
