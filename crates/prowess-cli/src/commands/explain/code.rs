//! The meaning of a code, with an example and the next step.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use serde::Serialize;

use crate::failure::Failure;
use crate::output::{DIM, HEADING, ID, Output};
use crate::terminal::{columns_behind, wrapped};

/// The page of every code, which `cargo xtask codes` writes: chapters with tables of codes, and
/// sections about one code. Only examples are between four backticks.
const PAGE: &str = include_str!("../../../DIAGNOSTICS.md");

const FENCE: &str = "````";

/// The output of `explain --format json` for a code.
#[derive(Serialize)]
struct ExplainedCode<'q> {
    code: &'q str,
    explanations: &'q [Explanation],
}

/// The text of one chapter about a code.
#[derive(Debug, Default, Serialize)]
pub(super) struct Explanation {
    chapter: &'static str,
    meaning: &'static str,
    /// By profile, for a finding about a `SKILL.md`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    severities: BTreeMap<&'static str, &'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<&'static str>,
    /// The finding about the example, or the result of its call, with the next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_step: Option<&'static str>,
}

/// Returns the code that a query names: alone, or as in the message `error[feature-missing]: …`.
pub(super) fn named_by(query: &str) -> String {
    let (_, code) = query.split_once('[').unwrap_or(("", query));
    let code = code.split([']', ' ']).next().unwrap_or_default();
    let code = code.to_ascii_lowercase().replace('_', "-");
    // Hosts branch on errors that have codes of their own.
    match &*code {
        "skill-parse-error" => "skill-invalid".to_owned(),
        "skill-script-read-error" => "script-read-blocked".to_owned(),
        _ => code,
    }
}

/// Returns what the page says about a code: nothing if it is none, and more than one explanation if
/// several chapters have it.
pub(super) fn explanations(code: &str) -> Vec<Explanation> {
    let mut reader = Reader::default();
    // Most ids of skills are nowhere on the page, which is long.
    if !PAGE.contains(code) {
        return reader.explanations;
    }
    for (number, piece) in PAGE.split(FENCE).enumerate() {
        // The pieces are outside of a fence and inside of one by turns.
        match number % 2 {
            0 => piece.lines().for_each(|line| reader.line(line, code)),
            _ => reader.example(piece.split_once('\n').map_or("", |(_, text)| text.trim_end())),
        }
    }
    reader.explanations
}

/// Returns every code of the page.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    let outside = PAGE.split(FENCE).step_by(2);
    outside.flat_map(str::lines).filter_map(|line| code_of(line.strip_prefix("| ")?))
}

/// The state of reading the page.
#[derive(Default)]
struct Reader {
    explanations: Vec<Explanation>,
    chapter: &'static str,
    /// The headings of the current table.
    columns: Vec<&'static str>,
    /// Whether the current section is about the code.
    is_meant: bool,
}

impl Reader {
    fn line(&mut self, line: &'static str, code: &str) {
        if let Some(title) = line.strip_prefix("# ") {
            (self.chapter, self.is_meant) = (title, false);
        } else if let Some(title) = line.strip_prefix("## ") {
            self.is_meant = title.strip_suffix("-result").unwrap_or(title) == code;
        } else if let Some(cells) = row(line) {
            match cells.first().copied() {
                Some("Code") => self.columns = cells,
                Some(first) if code_of(first) == Some(code) => self.row(&cells),
                _ => {}
            }
        } else if self.is_meant && !line.is_empty() {
            self.explanation().meaning = line;
        }
    }

    fn row(&mut self, cells: &[&'static str]) {
        let columns = std::mem::take(&mut self.columns);
        let explanation = self.explanation();
        for (column, cell) in columns.iter().zip(cells).skip(1) {
            match *column {
                "Meaning" => explanation.meaning = cell,
                "Example" => explanation.example = Some(cell),
                "Next step" => explanation.next_step = Some(cell),
                profile => drop(explanation.severities.insert(profile, cell)),
            }
        }
        self.columns = columns;
    }

    fn example(&mut self, text: &'static str) {
        if self.is_meant {
            let explanation = self.explanation();
            match explanation.example {
                None => explanation.example = Some(text),
                Some(_) => explanation.result = Some(text),
            }
        }
    }

    /// Returns the explanation of the current chapter.
    fn explanation(&mut self) -> &mut Explanation {
        let chapter = self.chapter;
        if self.explanations.last().is_none_or(|last| last.chapter != chapter) {
            self.explanations.push(Explanation { chapter, ..Explanation::default() });
        }
        let last = self.explanations.len() - 1;
        &mut self.explanations[last]
    }
}

/// Returns the cells of a row of a table.
fn row(line: &'static str) -> Option<Vec<&'static str>> {
    let cells = line.strip_prefix("| ")?.strip_suffix(" |")?;
    Some(cells.split(" | ").collect())
}

/// Returns the code that a first cell names, with or without a link to its section.
fn code_of(cell: &str) -> Option<&str> {
    cell.trim_start_matches('[').strip_prefix('`')?.split('`').next()
}

/// Prints what a code means.
pub(super) fn print(
    code: &str,
    explanations: &[Explanation],
    output: &Output,
) -> Result<ExitCode, Failure> {
    output.result(&ExplainedCode { code, explanations }, text)?;
    Ok(ExitCode::SUCCESS)
}

/// The number of columns before an example.
const MARGIN: usize = 2;

fn text(explained: &ExplainedCode<'_>) -> String {
    let mut text = format!("{ID}{}{ID:#}\n", explained.code);
    for explanation in explained.explanations {
        let Explanation { chapter, meaning, severities, .. } = explanation;
        let meaning = wrapped(meaning, columns_behind(0), 0);
        let _ = write!(text, "{DIM}{chapter}{DIM:#}\n\n{meaning}\n");
        if !severities.is_empty() {
            let severities: Vec<_> =
                severities.iter().map(|(key, of)| format!("{key} {of}")).collect();
            let severities = wrapped(&severities.join(", "), columns_behind(MARGIN), MARGIN);
            push(&mut text, "Severity by profile", &severities);
        }
        explanation.example.into_iter().for_each(|part| push(&mut text, "Example", part));
        for (heading, part) in
            [("Result", explanation.result), ("Next step", explanation.next_step)]
        {
            let lines = part.into_iter().flat_map(str::lines);
            let lines = lines.map(|line| wrapped(line, columns_behind(MARGIN), MARGIN));
            let lines = lines.collect::<Vec<_>>().join("\n");
            if !lines.is_empty() {
                push(&mut text, heading, &lines);
            }
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn push(text: &mut String, heading: &str, part: &str) {
    let _ = writeln!(text, "\n{HEADING}{heading}{HEADING:#}");
    for line in part.lines() {
        let indented = format!("{:MARGIN$}{line}", "");
        let _ = writeln!(text, "{}", indented.trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_meaning_and_an_example_or_next_step() {
        assert!(all().count() > 200, "the page has its codes");
        for code in all() {
            let explanations = explanations(code);
            assert!(!explanations.is_empty(), "`{code}` is explained");
            for Explanation { chapter, meaning, example, next_step, .. } in &explanations {
                assert!(meaning.ends_with('.'), "`{code}` in {chapter}: {meaning:?}");
                let says_more = example.is_some() || next_step.is_some();
                assert!(says_more, "`{code}` in {chapter} has an example or a next step");
            }
        }
    }

    #[test]
    fn code_of_several_chapters_has_an_explanation_of_each() {
        let both = explanations("file-too-large");
        let chapters: Vec<_> = both.iter().map(|one| one.chapter).collect();
        assert_eq!(chapters, ["Diagnostics", "Codes of tool results"]);
        assert_eq!(both[0].severities["spec"], "error");
        assert!(both.iter().all(|one| one.example.is_some() && one.result.is_some()));
    }

    #[test]
    fn rows_of_tables_are_explanations() {
        let [plugin] = &explanations("plugin-too-large")[..] else { panic!("one chapter") };
        assert_eq!(plugin.next_step, Some("run `strip`"));
        assert_eq!(plugin.example, Some("a build with debug information"));
    }
}
