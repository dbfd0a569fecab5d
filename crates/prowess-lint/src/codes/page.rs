//! The page that lists every code.

use std::fmt::Write;

use prowess_format::Profile;

use crate::severity;

use super::{ALL, Explanation, explain};

const INTRODUCTION: &str = "
# Diagnostics of whole packages

What `prowess validate` says beside the above: of the files, the links, the body and the neighbours of a skill.
";

/// The page that lists the codes of [`prowess_format::codes`] and then those of this crate, each with
/// its meaning, its severities and an example, as Markdown.
pub fn page() -> String {
    let mut page = prowess_format::codes::page();
    page.push_str(INTRODUCTION);
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
            .map(|profile| severity(code, profile).map_or("–", |severity| severity.as_str()))
            .join(" | ");
        let _ = writeln!(table, "| [`{code}`](#{code}) | {severities} |");
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
