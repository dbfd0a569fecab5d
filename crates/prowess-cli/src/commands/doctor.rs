//! `prowess doctor`: everything that is wrong with this place, and whether changes of it are heard of.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use prowess::registry::RefreshMode;
use prowess::{Catalog, CatalogSource, Diagnostic, Severity};
use serde::Serialize;

use crate::args::Global;
use crate::failure::Failure;
use crate::output::{DIM, HEADING, Output, counted, write_diagnostic};
use crate::place;
use crate::terminal::plain;

/// The contract of `doctor --format json`.
#[derive(Serialize)]
struct Checked<'c> {
    healthy: bool,
    generation: u64,
    roots: Vec<Root<'c>>,
    diagnostics: Vec<&'c Diagnostic>,
    summary: Summary,
}

#[derive(Serialize)]
struct Root<'c> {
    layer: &'c str,
    trust: &'static str,
    source: &'c str,
    root: &'c str,
    exists: bool,
    skills: usize,
    #[serde(flatten)]
    changes: Changes,
}

/// How a server hears of a root's changes.
#[derive(Serialize)]
#[serde(tag = "changes", rename_all = "snake_case")]
enum Changes {
    /// The system tells.
    Watched,
    /// It looks every few seconds.
    Polled { reason: String },
    /// It looks when a model call begins and the catalog is old.
    Aged { reason: String },
    /// It looks when it is told to.
    Manual { reason: String },
}

#[derive(Serialize)]
struct Summary {
    skills: usize,
    errors: usize,
    warnings: usize,
    hints: usize,
}

/// Exits with 1 if there is an error.
pub(crate) fn run(global: &Global, output: &Output) -> Result<ExitCode, Failure> {
    let runtime = place::runtime(global)?;
    let catalog = runtime.catalog();
    // As `serve` has it where nothing is said.
    let mode = runtime.policies().refresh.mode.unwrap_or(RefreshMode::Watch);
    let checked = checked(&catalog, mode);
    output.result(&checked, text)?;
    Ok(if checked.healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn checked(catalog: &Catalog, mode: RefreshMode) -> Checked<'_> {
    let mut diagnostics: Vec<_> = catalog.diagnostics().collect();
    let count = |severity| catalog.diagnostics().filter(|found| found.severity == severity).count();
    let summary = Summary {
        skills: catalog.len(),
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
        hints: count(Severity::Hint),
    };
    // The worst first; what is of one severity stays in its order.
    diagnostics.sort_by_key(|found| Reverse(found.severity));
    let roots = catalog.sources().iter().enumerate();
    Checked {
        healthy: summary.errors == 0,
        generation: catalog.generation(),
        roots: roots.map(|(at, source)| root(catalog, at, source, mode)).collect(),
        diagnostics,
        summary,
    }
}

fn root<'c>(
    catalog: &'c Catalog,
    at: usize,
    source: &'c CatalogSource,
    mode: RefreshMode,
) -> Root<'c> {
    let layer = &catalog.layers()[source.layer];
    Root {
        layer: &layer.name,
        trust: layer.trust.as_str(),
        source: source.source.name(),
        root: source.source.root(),
        exists: place::is_there(source.source.root()),
        skills: catalog.skills().filter(|skill| skill.index().source() == at).count(),
        changes: changes(source, mode),
    }
}

/// Where the policy is to watch, it watches for a moment.
fn changes(source: &CatalogSource, mode: RefreshMode) -> Changes {
    let policy = |mode: &str| format!("the policy is `refresh: {{ mode: {mode} }}`");
    match mode {
        RefreshMode::Manual => Changes::Manual { reason: policy("manual") },
        RefreshMode::Ttl => Changes::Aged { reason: policy("ttl") },
        RefreshMode::Poll => Changes::Polled { reason: policy("poll") },
        RefreshMode::Watch => match source.source.watch(Arc::new(|_| {})) {
            Ok(Some(_)) => Changes::Watched,
            Ok(None) => Changes::Polled { reason: "its source tells of no changes".to_owned() },
            Err(error) => Changes::Polled { reason: error.to_string() },
        },
    }
}

fn text(checked: &Checked<'_>) -> String {
    let Summary { skills, errors, warnings, hints } = checked.summary;
    let mut text = String::new();
    for found in &checked.diagnostics {
        write_diagnostic(&mut text, found);
        text.push('\n');
    }
    let _ = writeln!(text, "{HEADING}Roots{HEADING:#}, the highest first");
    for root in checked.roots.iter().filter(|root| root.exists) {
        let _ = writeln!(text, "  {}", plain(root.root));
        let (skills, changes) = (counted(root.skills, "skill"), told(&root.changes));
        let layer = plain(root.layer);
        let _ = writeln!(text, "      {DIM}{layer}, {}, {skills}, {changes}{DIM:#}", root.trust);
    }
    let missing: Vec<_> = checked.roots.iter().filter(|root| !root.exists).collect();
    if !missing.is_empty() {
        let _ = writeln!(text, "\n{HEADING}Not there{HEADING:#}, where skills would be found too");
    }
    for root in missing {
        let _ = writeln!(text, "  {}  {DIM}{}{DIM:#}", plain(root.root), plain(root.layer));
    }
    let found = [(errors, "error"), (warnings, "warning"), (hints, "hint")];
    let found = found.map(|(number, word)| counted(number, word)).join(", ");
    let _ = writeln!(text, "\n{}: {found}", counted(skills, "skill"));
    text
}

fn told(changes: &Changes) -> String {
    match changes {
        Changes::Watched => "a server is told of changes".to_owned(),
        Changes::Polled { reason } => format!("a server looks for changes: {}", plain(reason)),
        Changes::Aged { reason } => {
            format!("a server looks when a model call begins: {}", plain(reason))
        }
        Changes::Manual { reason } => {
            format!("a server looks at `SIGHUP` alone: {}", plain(reason))
        }
    }
}
