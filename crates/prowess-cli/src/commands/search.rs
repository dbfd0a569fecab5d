//! `prowess search`: the skills that match a query.

use std::fmt::Write as _;
use std::process::ExitCode;

use prowess::search::{Substring, search_once};
use prowess::{Ranked, Ranker};
use serde::Serialize;

use crate::args::{Global, Matching, Search};
#[cfg(feature = "catalog-file")]
use crate::catalog_root::searched;
use crate::commands::list::counted_findings;
use crate::commands::own_copies::announce;
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
    #[cfg(feature = "catalog-file")]
    if let (Matching::Words, Some(found)) = (matching, searched(global, query, limit)?) {
        return show(query, found.iter().map(of_file).collect(), output);
    }
    let runtime = runtime::runtime(global)?;
    let catalog = runtime.catalog();
    let ranked = match matching {
        Matching::Words => search_once(&catalog, query, limit),
        Matching::Substring => Substring.rank(&catalog, query, limit),
    };
    announce(&catalog, output);
    let of_sources = catalog.diagnostics().filter(|it| OF_SOURCES.contains(&it.code.as_str()));
    if let Some(found) = counted_findings(&of_sources.collect::<Vec<_>>()) {
        output.remark(&format!("{found}\n"));
    }
    show(query, ranked.into_iter().map(hit).collect(), output)
}

/// The findings of sources whose skills may be missing or old.
const OF_SOURCES: [&str; 5] =
    ["catalog-stale", "catalog-unsigned", "mcp-server-stale", "source-failed", "source-late"];

fn show(query: &str, hits: Vec<Hit<'_>>, output: &Output) -> Result<ExitCode, Failure> {
    let searched = Searched { query, hits };
    output.result(&searched, text)?;
    if searched.hits.is_empty() {
        output.remark("no skill matches; see `prowess list` for all of them\n");
    }
    Ok(ExitCode::from(u8::from(searched.hits.is_empty())))
}

fn hit(Ranked { record, score }: Ranked<'_>) -> Hit<'_> {
    Hit { id: record.id(), score, name: record.name(), description: record.description() }
}

#[cfg(feature = "catalog-file")]
fn of_file((skill, score): &(prowess_source_catalog::CatalogEntry, f32)) -> Hit<'_> {
    Hit { id: &skill.id, score: *score, name: &skill.name, description: &skill.description }
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
