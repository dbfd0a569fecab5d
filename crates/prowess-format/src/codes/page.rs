//! The page that lists every code.

use std::fmt::Write;

use crate::Profile;

use super::{ALL, Explanation, explain};

const INTRODUCTION: &str = "\
# Diagnostics

Every code that reading a `SKILL.md` can give, with an example and what the reader says of it. A code never changes its meaning; the wording of
a message may. How much a code matters depends on the profile: an `error` keeps the skill out, a dash is silence.

This page is written by `cargo xtask codes`.
";

/// The page that lists every code with its meaning, its severities and an example, as Markdown.
pub fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    page.push_str(&table());
    for explanation in ALL.iter().filter_map(explain) {
        page.push_str(&section(&explanation));
    }
    page
}

fn table() -> String {
    let profiles = Profile::ALL.map(Profile::as_str).join(" | ");
    let mut table =
        format!("\n| Code | {profiles} |\n|---|{}\n", "---|".repeat(Profile::ALL.len()));
    for code in ALL {
        let severities = Profile::ALL
            .map(|profile| profile.severity(code).map_or("–", |severity| severity.as_str()))
            .join(" | ");
        let _ = writeln!(table, "| [`{code}`](#{code}) | {severities} |");
    }
    table
}

fn section(explanation: &Explanation) -> String {
    let Explanation { code, meaning, example, diagnostic } = explanation;
    format!(
        "\n## {code}\n\n{meaning}\n\n````text\n{}\n````\n\n````text\n{diagnostic}\n  help: {}\n````\n",
        example.trim_end_matches('\n'),
        diagnostic.help
    )
}
