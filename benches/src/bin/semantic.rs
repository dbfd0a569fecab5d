//! Prints how well skills are found by words, by meaning and by both, and what a query costs.
//!
//! `semantic VECTORS`: a file of word vectors, such as `cargo xtask model` fetches. The skills and the
//! questions are our own, and lie in `semantic/`.
#![expect(clippy::print_stdout, reason = "a table is what the program is for")]

use std::process::ExitCode;
use std::sync::Arc;

use benches::measure::cpu_time;
use benches::queries::{catalog, queries};
use prowess_core::{Catalog, Ranker};
use prowess_search::{Fused, Question, Searcher, Semantic, WordVectors, evaluate};
use prowess_testkit::memory_catalog;
use serde::Deserialize;

/// How many are offered, for each of the measures.
const LIMITS: [usize; 3] = [1, 3, 5];
/// How many skills a query's cost is measured with, and by how many queries.
const SKILLS: usize = 10_000;
const QUERIES: usize = 100;

#[derive(Deserialize)]
struct Skill {
    name: String,
    description: String,
}

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else { return ExitCode::from(2) };
    let text = std::fs::read_to_string(path).expect("the vectors can be read");
    let (vectors, load) = cpu_time(|| WordVectors::parse(&text).expect("they are vectors"));
    println!("{} words, read in {load:.0?}\n", vectors.len());
    let searcher: Arc<dyn Ranker> = Arc::new(Searcher::new());
    let semantic: Arc<dyn Ranker> = Arc::new(Semantic::new(Arc::new(vectors)));
    let fused = Arc::new(Fused::new([searcher.clone(), semantic.clone()]));
    let questions: Vec<Question> =
        serde_json::from_str(include_str!("../../semantic/questions.json"))
            .expect("the questions are ours");
    let (skills, many) = (skills(), catalog(SKILLS));
    println!("{} questions over {} skills\n", questions.len(), skills.len());
    println!(
        "| ranker | precision of the first | recall in 3 | recall in 5 | mean reciprocal rank | CPU time a query, {SKILLS} skills |"
    );
    println!("|---|--:|--:|--:|--:|--:|");
    for (name, ranker) in
        [("words", searcher), ("meaning", semantic), ("both", fused as Arc<dyn Ranker>)]
    {
        let [one, three, five] =
            LIMITS.map(|limit| evaluate(ranker.as_ref(), &skills, &questions, limit));
        let whole = evaluate(ranker.as_ref(), &skills, &questions, skills.len());
        let cost = cost(ranker.as_ref(), &many);
        println!(
            "| {name} | {:.2} | {:.2} | {:.2} | {:.2} | {cost:.1} µs |",
            one.precision, three.recall, five.recall, whole.mean_reciprocal_rank
        );
    }
    ExitCode::SUCCESS
}

fn skills() -> Arc<Catalog> {
    let skills: Vec<Skill> = serde_json::from_str(include_str!("../../semantic/skills.json"))
        .expect("the skills are ours");
    memory_catalog(skills.iter().map(|skill| (&*skill.name, &*skill.description, &[][..])))
}

/// Microseconds of CPU time a query, once everything is prepared.
fn cost(ranker: &dyn Ranker, catalog: &Arc<Catalog>) -> f64 {
    let queries = queries(QUERIES);
    ranker.rank(catalog, &queries[0], 10);
    let ask = || queries.iter().map(|query| ranker.rank(catalog, query, 10).len()).sum::<usize>();
    cpu_time(ask).1.as_secs_f64() * 1e6 / QUERIES as f64
}
