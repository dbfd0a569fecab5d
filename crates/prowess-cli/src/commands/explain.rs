//! `prowess explain`: the way of one skill from its place to the model, step by step.

use std::fmt::Write as _;
use std::process::ExitCode;

use prowess::{Catalog, Diagnostic, Record};
use serde::Serialize;

use crate::args::Global;
use crate::failure::Failure;
use crate::output::{DIM, HEADING, ID, Output};
use crate::place::{self, absolute};
use crate::terminal::plain;

/// The contract of `explain --format json`.
#[derive(Serialize)]
struct Explained<'c> {
    query: &'c str,
    records: Vec<Record<'c>>,
    decisions: Vec<Decision>,
    /// What the visible one of the records costs in each turn.
    tokens: usize,
}

#[derive(Serialize)]
struct Decision {
    step: &'static str,
    outcome: &'static str,
    reason: String,
}

pub(crate) fn run(global: &Global, query: &str, output: &Output) -> Result<ExitCode, Failure> {
    let runtime = place::runtime(global)?;
    let catalog = runtime.catalog();
    let explained = explain(&catalog, query);
    output.result(&explained, text)?;
    Ok(ExitCode::from(u8::from(explained.tokens == 0)))
}

fn explain<'c>(catalog: &'c Catalog, query: &'c str) -> Explained<'c> {
    let path = absolute(query.as_ref()).unwrap_or_default().to_string_lossy().into_owned();
    let is_meant = |record: &Record<'_>| {
        record.id() == query || record.location() == path || record.root_directory() == path
    };
    let records: Vec<_> = catalog.skills().chain(catalog.aside()).filter(is_meant).collect();
    let mut decisions = Vec::new();
    for record in &records {
        explain_record(record, &mut decisions);
        let location = record.location();
        let is_about = |found: &&Diagnostic| found.path.as_deref() == Some(&*location);
        decisions.extend(catalog.diagnostics().filter(is_about).map(|found| checked(found, "")));
    }
    // What is no record, such as a skill that cannot be used: it has no id, so it goes by the name of
    // its directory, or by any directory that it is in.
    for found in catalog.diagnostics() {
        let place = found.path.as_deref().unwrap_or_default();
        let is_inside = place == path || place.starts_with(&format!("{path}/"));
        let is_named = place.rsplit('/').nth(1) == Some(query);
        let is_record = records.iter().any(|record| place == record.location());
        if (is_inside || is_named) && !is_record {
            decisions.push(checked(found, place));
        }
    }
    if decisions.is_empty() {
        decisions.push(not_found(catalog));
    }
    let visible = records.iter().filter(|record| record.state().reason().is_none());
    let tokens = visible.map(Record::tokens).sum();
    Explained { query, records, decisions, tokens }
}

/// What a finding says, with its place in brackets.
fn checked(found: &Diagnostic, path: &str) -> Decision {
    let outcome = if found.is_error() { "refused" } else { "noted" };
    let place = match (path, found.line, found.column) {
        ("", Some(line), Some(column)) => format!(" (line {line}, column {column})"),
        ("", ..) => String::new(),
        (path, Some(line), Some(column)) => format!(" ({path}:{line}:{column})"),
        (path, ..) => format!(" ({path})"),
    };
    let reason = format!("[{}] {}{place}; {}", found.code, found.message, found.help);
    Decision { step: "check", outcome, reason }
}

fn explain_record(record: &Record<'_>, decisions: &mut Vec<Decision>) {
    let mut decide = |step, outcome, reason| decisions.push(Decision { step, outcome, reason });
    let layer = record.layer();
    let place = format!(
        "{} in source `{}` of layer `{}` ({})",
        record.location(),
        record.source(),
        layer.name,
        layer.trust.as_str()
    );
    decide("find", "found", place);
    match record.state().reason() {
        Some(reason) => decide("place", record.state().as_str(), reason.to_owned()),
        None => decide("place", "visible", format!("no other `{}` comes before it", record.id())),
    }
}

fn not_found(catalog: &Catalog) -> Decision {
    let roots = catalog.sources().iter().map(|source| source.source.root());
    let roots: Vec<_> = roots.filter(|root| place::is_there(root)).collect();
    let roots = if roots.is_empty() { "nowhere".to_owned() } else { roots.join(", ") };
    let reason =
        format!("no skill with this id or path under {roots}; `--root DIR` looks elsewhere");
    Decision { step: "find", outcome: "not-found", reason }
}

fn text(explained: &Explained<'_>) -> String {
    let mut text = format!("{ID}{}{ID:#}\n", plain(explained.query));
    for Decision { step, outcome, reason } in &explained.decisions {
        let _ = writeln!(text, "  {step:6} {HEADING}{outcome}{HEADING:#}: {}", plain(reason));
    }
    if explained.tokens > 0 {
        let _ = writeln!(
            text,
            "  cost   {DIM}about {} tokens in each model call{DIM:#}",
            explained.tokens
        );
    }
    text
}
