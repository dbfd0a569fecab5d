//! All findings of the judged codes, so that new ones are noticed.

use std::collections::BTreeMap;

use super::judged::CODES;
use super::{Finding, KNOWN};

/// The maximum number of new findings of a code, and of those that are gone, in percent of the
/// known ones. The judged ones are a sample, which says nothing about findings that came after it.
const MOST_CHANGED: usize = 5;

const HEADING: &str = "\
# Every finding of the judged codes on the corpus when the last ones were judged: code, file and lines.
# Written by `UPDATE_EXPECT=1 cargo xtask findings`.
";

/// The number of findings by code and place, a place being a file and a line.
pub(super) type Rows = BTreeMap<(String, String, String), usize>;

/// Counts the findings of the judged codes at each place.
pub(super) fn rows(findings: &[Finding<'_>]) -> Rows {
    let mut rows = Rows::new();
    for found in findings.iter().filter(|found| is_judged(found.code)) {
        let place = (found.code.to_owned(), found.path.clone(), found.line.clone());
        *rows.entry(place).or_default() += 1;
    }
    rows
}

fn is_judged(code: &str) -> bool {
    CODES.iter().any(|(judged, _)| *judged == code)
}

/// Writes the findings, one file of a code on a line. A line with two findings is named twice.
pub(super) fn page(rows: &Rows) -> String {
    let mut files: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for ((code, file, line), count) in rows {
        let lines = files.entry((code, file)).or_default();
        lines.extend(std::iter::repeat_n(line.as_str(), *count));
    }
    let mut page = HEADING.to_owned();
    for ((code, file), mut lines) in files {
        lines.sort_by_key(|line| line.parse::<usize>().unwrap_or_default());
        page.push_str(&format!("{code}\t{file}\t{}\n", lines.join(" ")));
    }
    page
}

fn parse(page: &str) -> Rows {
    let mut rows = Rows::new();
    for row in page.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = row.split('\t').map(str::to_owned);
        let (Some(code), Some(file), Some(lines)) = (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        for line in lines.split(' ') {
            *rows.entry((code.clone(), file.clone(), line.to_owned())).or_default() += 1;
        }
    }
    rows
}

/// Prints the findings that are new or gone, and returns a sentence for each code of which there
/// are too many.
pub(super) fn problems(page: &str, rows: &Rows) -> Vec<String> {
    let known = parse(page);
    let mut problems = Vec::new();
    for (code, _) in CODES {
        let count: usize = of(&known, code).map(|(_, count)| count).sum();
        for (kind, changed) in
            [("new", beyond(rows, &known, code)), ("gone", beyond(&known, rows, code))]
        {
            changed.iter().for_each(|place| println!("{kind}: {place}"));
            if changed.len() * 100 > count * MOST_CHANGED {
                problems.push(format!(
                    "{} findings of `{code}` are {kind}, beside {count} known ones: judge some of \
                     them, and write `{KNOWN}` by `UPDATE_EXPECT=1 cargo xtask findings`",
                    changed.len()
                ));
            }
        }
    }
    problems
}

fn of<'r>(
    rows: &'r Rows,
    code: &str,
) -> impl Iterator<Item = (&'r (String, String, String), usize)> {
    rows.iter().filter(move |((of, ..), _)| of == code).map(|(place, count)| (place, *count))
}

/// Returns the findings of `rows` that `others` does not have.
fn beyond(rows: &Rows, others: &Rows, code: &str) -> Vec<String> {
    let mut beyond = Vec::new();
    for (place, count) in of(rows, code) {
        let (_, file, line) = place;
        let others = others.get(place).copied().unwrap_or_default();
        let more = count.saturating_sub(others);
        beyond.extend(std::iter::repeat_n(format!("{code} {file}:{line}"), more));
    }
    beyond
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(lines: impl IntoIterator<Item = usize>) -> Vec<Finding<'static>> {
        let finding = |line: usize| Finding {
            severity: "warning",
            code: "path-missing",
            path: "a/SKILL.md".to_owned(),
            line: line.to_string(),
            message: "",
        };
        lines.into_iter().map(finding).collect()
    }

    /// Compares the findings at these lines with those at the lines 1 to 40, and the start of each
    /// problem.
    #[track_caller]
    fn check(lines: impl IntoIterator<Item = usize>, expected: &[&str]) {
        let known = page(&rows(&findings(1..=40)));
        let problems = problems(&known, &rows(&findings(lines)));
        assert_eq!(problems.len(), expected.len(), "{problems:?}");
        for (problem, start) in problems.iter().zip(expected) {
            assert!(problem.starts_with(start), "{problem:?}");
        }
    }

    #[test]
    fn many_new_findings_are_a_failure() {
        check(1..=42, &[]);
        check(1..=43, &["3 findings of `path-missing` are new, beside 40 known ones"]);
    }

    #[test]
    fn many_lost_findings_are_a_failure() {
        check(3..=40, &[]);
        check(4..=40, &["3 findings of `path-missing` are gone, beside 40 known ones"]);
    }

    #[test]
    fn new_findings_do_not_make_up_for_lost_ones() {
        let parts =
            ["3 findings of `path-missing` are new", "3 findings of `path-missing` are gone"];
        check(4..=43, &parts);
    }

    #[test]
    fn second_finding_of_a_line_is_new() {
        let again = [1, 1, 1];
        check((1..=40).chain(again), &["3 findings of `path-missing` are new"]);
    }

    #[test]
    fn findings_of_other_codes_are_not_listed() {
        let mut findings = findings([2, 10, 2]);
        findings.push(Finding { code: "body-too-long", ..findings[0].clone() });
        let page = page(&rows(&findings));
        assert_eq!(page, format!("{HEADING}path-missing\ta/SKILL.md\t2 2 10\n"));
    }
}
