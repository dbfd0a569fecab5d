//! `prowess list`: all skills, shadowed skills and problems.

use std::fmt::Write as _;
use std::process::ExitCode;

use prowess::{Availability, Catalog, Diagnostic, Record, Severity};
use serde::Serialize;

use crate::args::Global;
use crate::commands::user_trust::{TrustedRecord, UserTrust};
use crate::failure::Failure;
use crate::output::{DIM, HEADING, ID, Output, counted};
use crate::runtime;
use crate::terminal::{fitted, padded, plain, width};

/// The output of `list --format json`.
#[derive(Serialize)]
struct Listed<'c> {
    generation: u64,
    skills: Vec<TrustedRecord<'c>>,
    shadowed: Vec<TrustedRecord<'c>>,
    diagnostics: Vec<&'c Diagnostic>,
}

pub(crate) fn run(global: &Global, output: &Output) -> Result<ExitCode, Failure> {
    let runtime = runtime::runtime(global)?;
    let catalog = runtime.catalog();
    let listed = listed(&catalog, &UserTrust::of(&catalog)?);
    output.result(&listed, text)?;
    output.remark(&counts(&listed));
    Ok(ExitCode::SUCCESS)
}

fn listed<'c>(catalog: &'c Catalog, trust: &UserTrust) -> Listed<'c> {
    let (shadowed, others): (Vec<_>, Vec<_>) =
        catalog.excluded().partition(|record| record.availability() == Availability::Shadowed);
    let with_trust = |record: Record<'c>| TrustedRecord::new(record, trust);
    Listed {
        generation: catalog.generation(),
        skills: catalog.skills().chain(others).map(with_trust).collect(),
        shadowed: shadowed.into_iter().map(with_trust).collect(),
        diagnostics: catalog.diagnostics().collect(),
    }
}

fn text(listed: &Listed<'_>) -> String {
    let mut text = String::new();
    let all = || listed.skills.iter().chain(&listed.shadowed).map(|skill| skill.record);
    let ids = all().map(|skill| width(&plain(skill.id()))).max().unwrap_or(0);
    let layers = all().map(|skill| width(&plain(&skill.layer().name))).max().unwrap_or(0);
    for TrustedRecord { record: skill, .. } in &listed.skills {
        let id = padded(&plain(skill.id()), ids);
        let layer = padded(&plain(&skill.layer().name), layers);
        let used = ids + layers + 4;
        let rest = match skill.reason() {
            Some(reason) => {
                let state = format!("{}: {reason}", skill.availability().as_str());
                format!("{DIM}{}{DIM:#}", fitted(&state, used))
            }
            None => fitted(skill.description(), used),
        };
        let _ = writeln!(text, "{ID}{id}{ID:#}  {DIM}{layer}{DIM:#}  {rest}");
    }
    if !listed.shadowed.is_empty() {
        let _ = writeln!(text, "\n{HEADING}Shadowed{HEADING:#}");
    }
    for TrustedRecord { record: skill, .. } in &listed.shadowed {
        let id = padded(&plain(skill.id()), ids);
        let _ = writeln!(text, "{ID}{id}{ID:#}  {}", fitted(&skill.location(), ids + 2));
    }
    text
}

/// Returns the number of findings of each severity, and the command that shows them.
fn counts(listed: &Listed<'_>) -> String {
    let count = |severity| listed.diagnostics.iter().filter(|it| it.severity == severity).count();
    let found = [
        (count(Severity::Error), "error"),
        (count(Severity::Warning), "warning"),
        (count(Severity::Hint), "hint"),
    ];
    let found = found.into_iter().filter(|(number, _)| *number > 0);
    let found: Vec<_> = found.map(|(number, word)| counted(number, word)).collect();
    let skills = counted(listed.skills.len(), "skill");
    if found.is_empty() {
        return format!("{skills}\n");
    }
    format!("{skills}; {}: see `prowess doctor`\n", found.join(", "))
}
