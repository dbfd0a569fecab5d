//! `prowess search`: the skills that match a query.

use std::fmt::Write as _;
use std::process::ExitCode;

use prowess::search::{Substring, search_once};
use prowess::{Ranked, Ranker};
use serde::Serialize;

use crate::args::{Global, Matching, Search};
use crate::failure::Failure;
use crate::output::{DIM, ID, Output};
use crate::runtime;
use crate::terminal::{fitted, most_of_name, one_line, padded, width};

/// The maximum number of skills, if the command line names none.
const MOST_HITS: usize = 10;

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

/// Runs the command. The exit code is 1 if no skill matches, as that of `grep`.
pub(crate) fn run(global: &Global, args: &Search, output: &Output) -> Result<ExitCode, Failure> {
    let Search { query, limit, matching, judging, .. } = args;
    if judging.suggest || judging.min_recall.is_some() {
        let message = "`--suggest` and `--min-recall` need queries whose answers are known";
        return Err(Failure::usage("usage", message, "see `prowess probe --help`"));
    }
    let query = &query.join(" ");
    let limit = limit.unwrap_or(MOST_HITS);
    let runtime = runtime::runtime(global)?;
    let catalog = runtime.catalog();
    let ranked = match matching {
        Matching::Words => search_once(&catalog, query, limit),
        Matching::Substring => Substring.rank(&catalog, query, limit),
    };
    let searched = Searched { query, hits: ranked.into_iter().map(hit).collect() };
    output.result(&searched, text)?;
    if searched.hits.is_empty() {
        output.remark("no skill matches; see `prowess list` for all of them\n");
    }
    Ok(ExitCode::from(u8::from(searched.hits.is_empty())))
}

fn hit(Ranked { record, score }: Ranked<'_>) -> Hit<'_> {
    Hit { id: record.id(), score, name: record.name(), description: record.description() }
}

fn text(searched: &Searched<'_>) -> String {
    let mut text = String::new();
    let most = most_of_name("  12.34  ".len());
    let ids = searched.hits.iter().map(|hit| width(&one_line(hit.id, most))).max().unwrap_or(0);
    for hit in &searched.hits {
        let id = padded(&one_line(hit.id, most), ids);
        let score = format!("{:5.2}", hit.score);
        let description = fitted(hit.description, ids + width(&score) + 4);
        let _ = writeln!(text, "{ID}{id}{ID:#}  {DIM}{score}{DIM:#}  {description}");
    }
    text
}
