//! Counts the findings of the checker on the corpus, and compares them with judged ones and the
//! verdicts with recorded ones.

mod judged;
mod known;
mod verdicts;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::Programs;
use crate::process::{Failure, output};
use crate::root;

/// The judged findings of the corpus: code, file, line, target, verdict and reason.
const JUDGED: &str = "xtask/needs/findings.tsv";

/// All findings of the judged codes: code, file and lines.
const KNOWN: &str = "xtask/needs/known-findings.tsv";

/// The packages that are invalid: profile, package and codes.
const VERDICTS: &str = "xtask/needs/verdicts.tsv";

/// A finding of the checker.
#[derive(Clone)]
struct Finding<'c> {
    severity: &'c str,
    code: &'c str,
    /// From the top of the corpus.
    path: String,
    /// `-` for a finding without a line.
    line: String,
    message: &'c str,
}

/// Prints the number of valid packages and of the findings of each code, and compares both with the
/// records. With `UPDATE_EXPECT`, writes the known findings and the verdicts instead.
pub(super) fn run(directory: &Path, programs: &Programs) -> Result<(), Failure> {
    let checked = verdicts::PROFILES.map(|profile| validate(&programs.prowess, directory, profile));
    let [spec, strict, reference] = checked;
    let (spec, strict, reference) = (spec?, strict?, reference?);
    let findings = findings(&spec, directory);
    print!("{}", table(&spec["summary"], &findings));
    let verdicts = verdicts::verdicts(&[&spec, &strict, &reference], directory);
    print!("{}", verdicts::beside_the_reference(&verdicts));
    let known = known::rows(&findings);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(root().join(KNOWN), known::page(&known))?;
        std::fs::write(root().join(VERDICTS), verdicts::page(&verdicts))?;
    }
    let mut problems = judged::problems(&read(JUDGED)?, &findings);
    problems.extend(known::problems(&read(KNOWN)?, &known));
    problems.extend(verdicts::problems(&read(VERDICTS)?, &verdicts));
    if problems.is_empty() {
        return Ok(());
    }
    Err(Failure(problems.join("\n")))
}

fn read(path: &str) -> Result<String, Failure> {
    let read = std::fs::read_to_string(root().join(path));
    read.map_err(|error| Failure(format!("cannot read `{path}`: {error}")))
}

/// Returns what `prowess validate` prints of a tree under a profile.
fn validate(program: &Path, directory: &Path, profile: &str) -> Result<Value, Failure> {
    let mut command = Command::new(program);
    command.arg("validate").arg(directory).args(["--hints", "--format", "json"]);
    command.args(["--profile", profile]);
    let printed = output(&mut command)?;
    serde_json::from_slice(&printed.stdout).map_err(|error| {
        let said = String::from_utf8_lossy(&printed.stderr);
        Failure(format!("`prowess validate` printed no JSON ({error}): {said}"))
    })
}

/// The packages of a report.
fn packages(checked: &Value) -> impl Iterator<Item = &Value> {
    checked["packages"].as_array().into_iter().flatten()
}

fn text<'c>(value: &'c Value, key: &str) -> &'c str {
    value[key].as_str().unwrap_or_default()
}

/// Returns a path from the top of the corpus.
fn relative(path: &str, directory: &Path) -> String {
    let path = Path::new(path);
    path.strip_prefix(directory).unwrap_or(path).display().to_string()
}

fn findings<'c>(checked: &'c Value, directory: &Path) -> Vec<Finding<'c>> {
    let found = packages(checked).filter_map(|package| package["diagnostics"].as_array()).flatten();
    found
        .map(|found| Finding {
            severity: text(found, "severity"),
            code: text(found, "code"),
            path: relative(text(found, "path"), directory),
            line: found["line"].as_u64().map_or("-".to_owned(), |line| line.to_string()),
            message: text(found, "message"),
        })
        .collect()
}

/// The counts, one code on a line, the most frequent first.
fn table(summary: &Value, findings: &[Finding<'_>]) -> String {
    let mut text = format!("{} of {} packages are valid\n", summary["valid"], summary["packages"]);
    let mut counts: BTreeMap<[&str; 2], usize> = BTreeMap::new();
    for found in findings {
        *counts.entry([found.severity, found.code]).or_default() += 1;
    }
    let mut rows: Vec<_> = counts.into_iter().collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for ([severity, code], count) in rows {
        text.push_str(&format!("{count:>6}  {severity:<8}{code}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn findings_are_counted_by_code() {
        let found = |severity, code| json!({ "severity": severity, "code": code });
        let checked = json!({
            "summary": { "valid": 1, "packages": 2 },
            "packages": [
                { "diagnostics": [found("hint", "body-no-when"), found("error", "name-invalid")] },
                { "diagnostics": [found("hint", "body-no-when")] },
            ],
        });
        let expected = "1 of 2 packages are valid\n     2  hint    body-no-when\n     1  error   name-invalid\n";
        let findings = findings(&checked, Path::new("/c"));
        assert_eq!(table(&checked["summary"], &findings), expected);
    }

    #[test]
    fn places_are_those_of_the_corpus() {
        let found = json!([
            { "code": "path-missing", "path": "/c/a/SKILL.md", "line": 3, "message": "names `x.md`" },
            { "code": "body-no-when", "path": "/c/a/SKILL.md", "line": null },
        ]);
        let checked = json!({ "packages": [{ "diagnostics": found }] });
        let findings = findings(&checked, Path::new("/c"));
        let places: Vec<_> =
            findings.iter().map(|found| (found.path.as_str(), found.line.as_str())).collect();
        assert_eq!(places, [("a/SKILL.md", "3"), ("a/SKILL.md", "-")]);
    }
}
