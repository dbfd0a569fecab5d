//! The page that lists every code.

use std::fmt::Write;

use crate::{Code, CodeEntry, Profile};

use super::{ALL, Explanation, explain};

const INTRODUCTION: &str = "\
# Diagnostics

Every code of a finding about a `SKILL.md`, with an example and the finding about it. A code never changes its meaning; the wording of
a message may. The severity of a code depends on the profile: an `error` keeps the skill out, a dash means that the profile does not report it.

This page is written by `cargo xtask codes`, and `prowess explain CODE` prints what it says about a code.
";

/// Returns the page that lists every code of this crate with its meaning, its severities and an
/// example, as Markdown.
pub fn page() -> String {
    INTRODUCTION.to_owned() + &reference(ALL, explain)
}

/// Returns a table of codes with their severities, followed by a section for each, as Markdown.
pub fn reference(entries: &[CodeEntry], explain: fn(&Code) -> Option<Explanation>) -> String {
    let mut text = table(entries);
    for explanation in entries.iter().filter_map(|entry| explain(&entry.code)) {
        text.push_str(&section(&explanation));
    }
    text
}

fn table(entries: &[CodeEntry]) -> String {
    let profiles = Profile::ALL.map(Profile::as_str).join(" | ");
    let mut table =
        format!("\n| Code | {profiles} |\n|---|{}\n", "---|".repeat(Profile::ALL.len()));
    for entry in entries {
        let code = &entry.code;
        let severity = |profile: Profile| entry.severities.and(profile.severity_of(entry));
        let cells = Profile::ALL.map(severity);
        let cells = cells.map(|severity| severity.map_or("–", |severity| severity.as_str()));
        let _ = writeln!(table, "| [`{code}`](#{code}) | {} |", cells.join(" | "));
    }
    table
}

fn section(Explanation { code, meaning, example, diagnostic }: &Explanation) -> String {
    let mut section =
        format!("\n## {code}\n\n{meaning}\n\n````text\n{}\n````\n", example.trim_end_matches('\n'));
    if let Some(found) = diagnostic {
        let _ = write!(section, "\n````text\n{found}\n  help: {}\n````\n", found.help);
    }
    section
}
