//! A `Ranker` of the host: skills are ordered by how many words of the query their description has.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use extension_points::kitchen;
use prowess::{Catalog, Error, Ranked, Ranker};

struct CommonWords;

impl Ranker for CommonWords {
    fn rank<'c>(&self, catalog: &'c Arc<Catalog>, query: &str, limit: usize) -> Vec<Ranked<'c>> {
        let words: Vec<_> = query.split_whitespace().map(str::to_lowercase).collect();
        let mut ranked: Vec<_> = catalog
            .skills()
            .map(|record| {
                let description = record.description().to_lowercase();
                let score = words.iter().filter(|word| description.contains(*word)).count() as f32;
                Ranked { record, score }
            })
            // A blank query lists every skill.
            .filter(|ranked| words.is_empty() || ranked.score > 0.0)
            .collect();
        // The sort is stable, and the catalog is in the order of ids.
        ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
        ranked.truncate(limit);
        ranked
    }
}

fn main() -> Result<(), Error> {
    let runtime = kitchen().ranker(Arc::new(CommonWords)).build()?;
    let turn = runtime.turn(&runtime.open_session()?)?;
    for ranked in turn.search("hungry somebody", 5) {
        println!("{} {}", ranked.score, ranked.record.id());
    }
    Ok(())
}

#[cfg(test)]
#[test]
fn ranker_passes_its_kit() {
    prowess_testkit::check_ranker(&CommonWords);
}
