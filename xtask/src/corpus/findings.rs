//! Counts the findings of the checker on the corpus, compares them with those that a person has
//! judged, and all findings and verdicts with recorded ones.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{Programs, json_of, text};
use crate::checks::api::difference;
use crate::process::Failure;
use crate::root;

/// The judged findings of the corpus: code, file, line, target, verdict and reason.
const JUDGED: &str = "xtask/needs/findings.tsv";

/// The codes whose findings are judged, and the maximum share of false ones, in percent. That of an
/// error or a warning is smaller than that of advice.
const CODES: [(&str, usize); 7] = [
    ("body-no-when", 10),
    ("description-no-when", 10),
    ("extension-field", 5),
    ("link-broken", 5),
    ("link-leaves-package", 5),
    ("path-missing", 5),
    ("template-unedited", 5),
];

/// All findings of the judged codes, which are a sample and say nothing about later ones.
const KNOWN: (&str, &str) = (
    "xtask/needs/known-findings.tsv",
    "# Every finding of the judged codes on the corpus: code, file and lines.\n",
);

/// The packages that a profile calls invalid.
const VERDICTS: (&str, &str) = (
    "xtask/needs/verdicts.tsv",
    "# The packages of the corpus that a profile calls invalid: profile, package and the codes of its errors.\n",
);

/// The profiles whose verdicts are recorded. The findings are those of the first one.
const PROFILES: [&str; 3] = ["spec", "strict", "skills-ref"];

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
/// records, which `UPDATE_EXPECT` writes.
pub(super) fn run(directory: &Path, programs: &Programs) -> Result<(), Failure> {
    let mut reports = Vec::new();
    for profile in PROFILES {
        let mut command = Command::new(&programs.prowess);
        command.arg("validate").arg(directory).args(["--hints", "--format", "json"]);
        reports.push(json_of(command.args(["--profile", profile]))?);
    }
    let findings = findings(&reports[0], directory);
    print!("{}", table(&reports[0]["summary"], &findings));
    let mut problems = judge(&std::fs::read_to_string(root().join(JUDGED))?, &findings);
    problems.extend(compare(KNOWN, &known(&findings))?);
    problems.extend(compare(VERDICTS, &verdicts(&reports, directory))?);
    if problems.is_empty() {
        return Ok(());
    }
    Err(Failure(problems.join("\n")))
}

fn packages(checked: &Value) -> impl Iterator<Item = &Value> {
    checked["packages"].as_array().into_iter().flatten()
}

fn diagnostics(package: &Value) -> impl Iterator<Item = &Value> {
    package["diagnostics"].as_array().into_iter().flatten()
}

fn relative(value: &Value, directory: &Path) -> String {
    let path = Path::new(text(value, "path"));
    path.strip_prefix(directory).unwrap_or(path).display().to_string()
}

fn findings<'c>(checked: &'c Value, directory: &Path) -> Vec<Finding<'c>> {
    let finding = |found: &'c Value| Finding {
        severity: text(found, "severity"),
        code: text(found, "code"),
        path: relative(found, directory),
        line: found["line"].as_u64().map_or("-".to_owned(), |line| line.to_string()),
        message: text(found, "message"),
    };
    packages(checked).flat_map(diagnostics).map(finding).collect()
}

/// Returns the counts, one code on a line, the most frequent first.
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

/// Prints the share of false findings of each code, and returns a sentence for each failure: a true
/// finding that is gone, a code with too many false findings, and one without judged findings.
fn judge(judged: &str, findings: &[Finding<'_>]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for row in judged.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = row.split('\t').collect();
        let [code, file, line, target, verdict @ ("true" | "false"), _] = fields[..] else {
            problems.push(format!("a row is not one of six fields: {row}"));
            continue;
        };
        let target = if target == "-" { String::new() } else { format!("`{target}`") };
        let is_it = |found: &Finding<'_>| {
            let place = (found.code, found.path.as_str(), found.line.as_str());
            place == (code, file, line) && found.message.contains(&target)
        };
        if findings.iter().any(is_it) {
            let [all, wrong] = counts.entry(code).or_default();
            *all += 1;
            *wrong += usize::from(verdict == "false");
        } else if verdict == "true" {
            problems.push(format!("a true finding is no longer reported: {row}"));
        }
    }
    for (code, most) in CODES {
        let [all, wrong] = counts.get(code).copied().unwrap_or_default();
        println!("{code}: {wrong} of {all} judged findings are false");
        if all == 0 {
            problems.push(format!("no judged finding of `{code}` is left"));
        } else if wrong * 100 > all * most {
            problems.push(format!("more than {most} % of the judged `{code}` are false"));
        }
    }
    problems
}

/// Returns the findings of the judged codes, one file of a code on a line. A line with two findings
/// is named twice.
fn known(findings: &[Finding<'_>]) -> String {
    let mut files: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for found in findings.iter().filter(|found| CODES.iter().any(|(code, _)| *code == found.code)) {
        files.entry((found.code, &found.path)).or_default().push(&found.line);
    }
    let row = |((code, file), mut lines): (_, Vec<&str>)| {
        lines.sort_by_key(|line| line.parse::<usize>().unwrap_or_default());
        format!("{code}\t{file}\t{}\n", lines.join(" "))
    };
    files.into_iter().map(row).collect()
}

/// Returns the invalid packages of the reports, one on a line.
fn verdicts(reports: &[Value], directory: &Path) -> String {
    let mut rows = BTreeSet::new();
    for (profile, report) in PROFILES.into_iter().zip(reports) {
        for package in packages(report).filter(|package| package["valid"] != true) {
            let errors = diagnostics(package).filter(|found| found["severity"] == "error");
            let codes: BTreeSet<&str> = errors.map(|found| text(found, "code")).collect();
            let codes: Vec<_> = codes.into_iter().collect();
            let path = relative(package, directory);
            rows.insert(format!("{profile}\t{path}\t{}\n", codes.join(" ")));
        }
    }
    rows.into_iter().collect()
}

/// Compares rows with a record, or writes the record if `UPDATE_EXPECT` is set.
fn compare((path, heading): (&str, &str), rows: &str) -> Result<Option<String>, Failure> {
    let file = root().join(path);
    let current = format!("{heading}{rows}");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&file, &current)?;
    }
    let difference = difference(&std::fs::read_to_string(&file)?, &current);
    Ok(difference.map(|difference| {
        format!(
            "`{path}` differs; judge some of the findings, and accept them by \
             `UPDATE_EXPECT=1 cargo xtask corpus DIR findings`\n{difference}"
        )
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn report(found: &Value) -> Value {
        let packages = json!([{ "path": "/c/a/SKILL.md", "valid": false, "diagnostics": found }]);
        json!({ "summary": { "valid": 0, "packages": 1 }, "packages": packages })
    }

    #[test]
    fn findings_are_counted_and_recorded() {
        let found = |severity, code, line: Option<u32>| json!({ "severity": severity, "code": code, "path": "/c/a/SKILL.md", "line": line });
        let report = report(&json!([
            found("hint", "body-no-when", None),
            found("error", "name-invalid", Some(2)),
            found("error", "path-missing", Some(10)),
            found("error", "path-missing", Some(9)),
        ]));
        let findings = findings(&report, Path::new("/c"));
        let expected = "0 of 1 packages are valid\n     2  error   path-missing\n     \
                        1  error   name-invalid\n     1  hint    body-no-when\n";
        assert_eq!(table(&report["summary"], &findings), expected);
        let expected = "body-no-when\ta/SKILL.md\t-\npath-missing\ta/SKILL.md\t9 10\n";
        assert_eq!(known(&findings), expected, "other codes are not recorded");
        let verdicts = verdicts(&[report], Path::new("/c"));
        assert_eq!(verdicts, "spec\ta/SKILL.md\tname-invalid path-missing\n");
    }

    /// Judges 40 findings, and for each code another true one.
    #[track_caller]
    fn check(change: impl FnOnce(String) -> String, expected: &[&str]) {
        let finding = |code: &'static str, line: usize| Finding {
            severity: "warning",
            code,
            path: "a".to_owned(),
            line: line.to_string(),
            message: "names `x.md`",
        };
        let mut findings = Vec::from(CODES.map(|(code, _)| finding(code, 1)));
        findings.extend((2..=40).map(|line| finding("path-missing", line)));
        let row = |code: &str, line: usize, verdict: bool| {
            format!("{code}\ta\t{line}\tx.md\t{verdict}\tread\n")
        };
        let mut rows = CODES.map(|(code, _)| row(code, 1, true)).concat();
        rows.extend((2..=40).map(|line| row("path-missing", line, line > 3)));
        let problems = judge(&change(rows), &findings);
        assert_eq!(problems.len(), expected.len(), "{problems:?}");
        for (problem, part) in problems.iter().zip(expected) {
            assert!(problem.contains(part), "{part:?} is in {problem:?}");
        }
    }

    #[test]
    fn judged_findings_are_compared() {
        check(|rows| rows, &[]);
        let more = |row: &'static str| move |rows: String| rows + row;
        check(more("# a comment\n"), &[]);
        check(more("path-missing\ta\t1\ty.md\tfalse\tan example\n"), &[]);
        let gone = &["is no longer reported: path-missing\ta\t1\ty.md"];
        check(more("path-missing\ta\t1\ty.md\ttrue\tanother target\n"), gone);
        check(more("path-missing\ta\t99\tx.md\ttrue\tno such line\n"), &["no longer reported"]);
        check(more("path-missing\ta\t1\tx.md\tperhaps\tread\n"), &["not one of six fields"]);
        let without = |rows: String| rows.replace("path-missing\ta\t40\tx.md\ttrue\tread\n", "");
        check(without, &["more than 5 % of the judged `path-missing`"]);
        let without = |rows: String| rows.replace("link-broken\ta\t1\tx.md\ttrue\tread\n", "");
        check(without, &["no judged finding of `link-broken`"]);
    }
}
