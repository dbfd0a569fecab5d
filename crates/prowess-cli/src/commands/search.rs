//! `prowess search`: the skills that match a query.

use std::fmt::Write as _;
use std::process::ExitCode;

use prowess::search::Substring;
use prowess::{Ranked, Ranker};
use serde::Serialize;

use crate::args::{Global, Matching};
use crate::failure::Failure;
use crate::output::{DIM, ID, Output};
use crate::runtime;
use crate::terminal::{one_line, plain};

/// The output of `search --format json`.
#[derive(Serialize)]
struct Searched<'c> {
    query: &'c str,
    hits: Vec<Hit<'c>>,
}

#[derive(Serialize)]
struct Hit<'c> {
    id: &'c str,
    score: f32,
    name: &'c str,
    description: &'c str,
}

pub(crate) fn run(
    global: &Global,
    query: &str,
    limit: usize,
    matching: Matching,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let runtime = runtime::runtime(global)?;
    let catalog = runtime.catalog();
    let ranked = match matching {
        Matching::Words => runtime.search(&catalog, query, limit),
        Matching::Substring => Substring.rank(&catalog, query, limit),
    };
    let searched = Searched { query, hits: ranked.into_iter().map(hit).collect() };
    output.result(&searched, text)?;
    if searched.hits.is_empty() {
        output.remark("no skill suits; see `prowess list` for all of them\n");
    }
    Ok(ExitCode::SUCCESS)
}

fn hit(Ranked { record, score }: Ranked<'_>) -> Hit<'_> {
    Hit { id: record.id(), score, name: record.name(), description: record.description() }
}

fn text(searched: &Searched<'_>) -> String {
    let mut text = String::new();
    let width = searched.hits.iter().map(|hit| plain(hit.id).chars().count()).max().unwrap_or(0);
    for hit in &searched.hits {
        let id = plain(hit.id);
        let description = one_line(hit.description, 100);
        let score = hit.score;
        let _ = writeln!(text, "{ID}{id:width$}{ID:#}  {DIM}{score:5.2}{DIM:#}  {description}");
    }
    text
}
