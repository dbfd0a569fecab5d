//! Counts the findings of the checker on a real tree, and compares them with judged ones.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::process::{Failure, build_prowess, output};
use crate::root;

/// The judged findings of the corpus: code, file, line, target, verdict and reason.
const JUDGED: &str = "xtask/needs/findings.tsv";

/// The codes of which few findings may be false.
const LIMITED: [&str; 2] = ["path-missing", "link-broken"];

/// The maximum share of false findings of such a code, in percent.
const MOST_FALSE: usize = 5;

/// Prints the number of valid packages and of the findings of each code, and how many of the judged
/// ones are false. Too many false ones are a failure.
pub(crate) fn run(directory: &Path) -> Result<(), Failure> {
    let directory = &directory.canonicalize()?;
    let mut command = Command::new(build_prowess()?);
    command.arg("validate").arg(directory).args(["--hints", "--format", "json"]);
    let printed = output(&mut command)?;
    let checked: Value = serde_json::from_slice(&printed.stdout).map_err(|error| {
        let said = String::from_utf8_lossy(&printed.stderr);
        Failure(format!("`prowess validate` printed no JSON ({error}): {said}"))
    })?;
    print!("{}", table(&checked));
    let judged = std::fs::read_to_string(root().join(JUDGED))?;
    let (gone, rates) = compare(&judged, &places(&checked, directory));
    gone.iter().for_each(|line| println!("gone: {line}"));
    let mut failed = Vec::new();
    for (code, rate) in rates {
        println!("{code}: {} of {} judged findings are false", rate.wrong, rate.judged);
        if LIMITED.contains(&code) && rate.is_too_high() {
            failed.push(code);
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(Failure(format!("more than {MOST_FALSE} % are false of {}", failed.join(" and "))))
}

/// How many of the judged findings of a code are false. Those that are gone do not count.
#[derive(Debug, Default, PartialEq, Eq)]
struct Rate {
    judged: usize,
    wrong: usize,
}

impl Rate {
    fn is_too_high(&self) -> bool {
        self.wrong * 100 > self.judged * MOST_FALSE
    }
}

/// Each finding as code, file and line, with its message.
fn places<'c>(checked: &'c Value, directory: &Path) -> Vec<(String, &'c str)> {
    let packages = checked["packages"].as_array().into_iter().flatten();
    let found = packages.filter_map(|package| package["diagnostics"].as_array()).flatten();
    let text = |found: &'c Value, key: &str| found[key].as_str().unwrap_or_default();
    found
        .map(|found| {
            let path = Path::new(text(found, "path"));
            let path = path.strip_prefix(directory).unwrap_or(path).display();
            let line = found["line"].as_u64().map_or("-".to_owned(), |line| line.to_string());
            (format!("{}\t{path}\t{line}", text(found, "code")), text(found, "message"))
        })
        .collect()
}

/// Returns the judged findings that do not exist any more, and the rate of each code.
fn compare<'j>(
    judged: &'j str,
    found: &[(String, &str)],
) -> (Vec<&'j str>, BTreeMap<&'j str, Rate>) {
    let mut gone = Vec::new();
    let mut rates: BTreeMap<&str, Rate> = BTreeMap::new();
    for row in judged.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = row.split('\t').collect();
        let [code, file, line, target, verdict, _] = fields[..] else {
            gone.push(row);
            continue;
        };
        let place = format!("{code}\t{file}\t{line}");
        let target = if target == "-" { String::new() } else { format!("`{target}`") };
        if found.iter().any(|(at, message)| *at == place && message.contains(&target)) {
            let rate = rates.entry(code).or_default();
            rate.judged += 1;
            rate.wrong += usize::from(verdict == "false");
        } else {
            gone.push(row);
        }
    }
    (gone, rates)
}

/// The counts, one code on a line, the most frequent first.
fn table(checked: &Value) -> String {
    let summary = &checked["summary"];
    let mut text = format!("{} of {} packages are valid\n", summary["valid"], summary["packages"]);
    let packages = checked["packages"].as_array().into_iter().flatten();
    let found = packages.filter_map(|package| package["diagnostics"].as_array()).flatten();
    let mut counts: BTreeMap<[&str; 2], usize> = BTreeMap::new();
    for found in found {
        let key = ["severity", "code"].map(|key| found[key].as_str().unwrap_or_default());
        *counts.entry(key).or_default() += 1;
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
        assert_eq!(table(&checked), expected);
    }

    #[test]
    fn judged_findings_are_counted_or_gone() {
        let checked = json!({ "packages": [{ "diagnostics": [
            { "code": "path-missing", "path": "/c/a/SKILL.md", "line": 3, "message": "names `x.md`" },
            { "code": "body-no-when", "path": "/c/a/SKILL.md", "message": "no sentence" },
        ] }] });
        let found = places(&checked, Path::new("/c"));
        let judged = "# a comment\n\
                      path-missing\ta/SKILL.md\t3\tx.md\tfalse\tof another skill\n\
                      path-missing\ta/SKILL.md\t3\ty.md\ttrue\tgone\n\
                      body-no-when\ta/SKILL.md\t-\t-\ttrue\tnothing\n";
        let (gone, rates) = compare(judged, &found);
        assert_eq!(gone, ["path-missing\ta/SKILL.md\t3\ty.md\ttrue\tgone"]);
        assert_eq!(rates["path-missing"], Rate { judged: 1, wrong: 1 });
        assert_eq!(rates["body-no-when"], Rate { judged: 1, wrong: 0 });
    }

    #[test]
    fn more_than_one_false_finding_of_twenty_is_too_many() {
        assert!(!Rate { judged: 40, wrong: 2 }.is_too_high());
        assert!(Rate { judged: 39, wrong: 2 }.is_too_high());
        assert!(!Rate::default().is_too_high());
    }
}
