//! `prowess list`: all skills, shadowed skills and problems.

use std::fmt::Write as _;
use std::process::ExitCode;

use prowess::{Availability, Catalog, Diagnostic, Record};
use serde::Serialize;

use crate::args::Global;
use crate::failure::Failure;
use crate::output::{DIM, HEADING, ID, Output};
use crate::runtime;
use crate::terminal::{one_line, plain};

/// The output of `list --format json`.
#[derive(Serialize)]
struct Listed<'c> {
    generation: u64,
    skills: Vec<Record<'c>>,
    shadowed: Vec<Record<'c>>,
    diagnostics: Vec<&'c Diagnostic>,
}

pub(crate) fn run(global: &Global, output: &Output) -> Result<ExitCode, Failure> {
    let runtime = runtime::runtime(global)?;
    let catalog = runtime.catalog();
    output.result(&listed(&catalog), text)?;
    output.diagnostics(catalog.diagnostics());
    Ok(ExitCode::SUCCESS)
}

fn listed(catalog: &Catalog) -> Listed<'_> {
    let (shadowed, others): (Vec<_>, Vec<_>) =
        catalog.excluded().partition(|record| record.availability() == Availability::Shadowed);
    Listed {
        generation: catalog.generation(),
        skills: catalog.skills().chain(others).collect(),
        shadowed,
        diagnostics: catalog.diagnostics().collect(),
    }
}

fn text(listed: &Listed<'_>) -> String {
    let mut text = String::new();
    let width = listed.skills.iter().map(|skill| skill.id().chars().count()).max().unwrap_or(0);
    for skill in &listed.skills {
        let id = plain(skill.id());
        let description = one_line(skill.description(), 100);
        let layer = plain(&skill.layer().name);
        let state = match skill.reason() {
            Some(reason) => {
                format!("{DIM}{}: {}{DIM:#}  ", skill.availability().as_str(), plain(reason))
            }
            None => String::new(),
        };
        let _ =
            writeln!(text, "{ID}{id:width$}{ID:#}  {DIM}{layer:8}{DIM:#}  {state}{description}");
    }
    if !listed.shadowed.is_empty() {
        let _ = writeln!(text, "\n{HEADING}Shadowed{HEADING:#}");
    }
    for skill in &listed.shadowed {
        let id = plain(skill.id());
        let place = skill.location();
        let reason = plain(skill.reason().unwrap_or_default());
        let _ = writeln!(text, "{ID}{id:width$}{ID:#}  {}: {reason}", plain(&place));
    }
    text
}
