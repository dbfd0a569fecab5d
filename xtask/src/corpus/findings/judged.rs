//! The findings that a person has judged.

use std::collections::BTreeMap;

use super::Finding;

/// The codes whose findings are judged, and the maximum share of false ones, in percent. That of an
/// error or a warning is smaller than that of advice.
pub(super) const CODES: [(&str, usize); 7] = [
    ("body-no-when", 10),
    ("description-no-when", 10),
    ("extension-field", 5),
    ("link-broken", 5),
    ("link-leaves-package", 5),
    ("path-missing", 5),
    ("template-unedited", 5),
];

/// How many of the judged findings of a code are false. Those that are gone do not count.
#[derive(Debug, Default, PartialEq, Eq)]
struct Rate {
    judged: usize,
    wrong: usize,
}

/// The judged findings by their result.
#[derive(Debug, Default)]
struct Outcome<'j> {
    rates: BTreeMap<&'j str, Rate>,
    /// The rows of true findings that the checker does not report any more.
    lost: Vec<&'j str>,
    /// The rows of false ones.
    cured: Vec<&'j str>,
    /// The rows that are none.
    unreadable: Vec<&'j str>,
}

/// Prints the rate of each code, and returns a sentence for each failure: a true finding that is
/// gone, a code with too many false findings, and a code without judged ones.
pub(super) fn problems(judged: &str, findings: &[Finding<'_>]) -> Vec<String> {
    let outcome = compare(judged, findings);
    outcome.cured.iter().for_each(|row| println!("no longer reported, and was false: {row}"));
    let mut problems = Vec::new();
    for (code, most) in CODES {
        let Some(Rate { judged, wrong }) = outcome.rates.get(code) else {
            problems.push(format!("no judged finding of `{code}` is left"));
            continue;
        };
        println!("{code}: {wrong} of {judged} judged findings are false");
        if wrong * 100 > judged * most {
            problems.push(format!("more than {most} % of the judged `{code}` are false"));
        }
    }
    let lost = outcome.lost.iter();
    problems.extend(lost.map(|row| format!("a true finding is no longer reported: {row}")));
    let unreadable = outcome.unreadable.iter();
    problems.extend(unreadable.map(|row| format!("a row is not one of six fields: {row}")));
    problems
}

fn compare<'j>(judged: &'j str, findings: &[Finding<'_>]) -> Outcome<'j> {
    let mut outcome = Outcome::default();
    for row in judged.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = row.split('\t').collect();
        let [code, file, line, target, verdict @ ("true" | "false"), _] = fields[..] else {
            outcome.unreadable.push(row);
            continue;
        };
        let target = if target == "-" { String::new() } else { format!("`{target}`") };
        let is_it = |found: &Finding<'_>| {
            found.code == code
                && found.path == file
                && found.line == line
                && found.message.contains(&target)
        };
        let is_wrong = verdict == "false";
        if findings.iter().any(is_it) {
            let rate = outcome.rates.entry(code).or_default();
            rate.judged += 1;
            rate.wrong += usize::from(is_wrong);
        } else if is_wrong {
            outcome.cured.push(row);
        } else {
            outcome.lost.push(row);
        }
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(code: &'static str, line: usize, message: &'static str) -> Finding<'static> {
        let path = "a/SKILL.md".to_owned();
        Finding { severity: "warning", code, path, line: line.to_string(), message }
    }

    /// A true row and a finding of each code, for a test to break.
    fn of_each_code() -> (String, Vec<Finding<'static>>) {
        let row = |code: &str| format!("{code}\ta/SKILL.md\t1\t-\ttrue\tyes\n");
        let rows = CODES.map(|(code, _)| row(code)).concat();
        (rows, CODES.map(|(code, _)| finding(code, 1, "")).into())
    }

    #[track_caller]
    fn check(judged: &str, findings: &[Finding<'_>], parts: &[&str]) {
        let problems = problems(judged, findings);
        assert_eq!(problems.len(), parts.len(), "{problems:?}");
        for (problem, part) in problems.iter().zip(parts) {
            assert!(problem.contains(part), "{part:?} is in {problem:?}");
        }
    }

    #[test]
    fn true_finding_that_is_gone_is_a_failure() {
        let (mut rows, findings) = of_each_code();
        check(&rows, &findings, &[]);
        rows.push_str("path-missing\ta/SKILL.md\t3\tx.md\ttrue\tno such file\n");
        check(&rows, &findings, &["no longer reported: path-missing\ta/SKILL.md\t3"]);
    }

    #[test]
    fn false_finding_that_is_gone_is_none() {
        let (mut rows, findings) = of_each_code();
        rows.push_str("path-missing\ta/SKILL.md\t3\tx.md\tfalse\tan example\n");
        check(&rows, &findings, &[]);
    }

    #[test]
    fn code_without_judged_findings_is_a_failure() {
        let (rows, findings) = of_each_code();
        let others: Vec<_> = rows.lines().filter(|row| !row.starts_with("link-broken")).collect();
        check(&others.join("\n"), &findings, &["no judged finding of `link-broken`"]);
    }

    #[test]
    fn more_than_one_false_finding_of_twenty_is_a_failure() {
        let with = |count: usize| {
            let (mut rows, mut findings) = of_each_code();
            for line in 2..=count {
                let verdict = if line <= 3 { "false" } else { "true" };
                let row = format!("path-missing\ta/SKILL.md\t{line}\tx.md\t{verdict}\tread\n");
                rows.push_str(&row);
                findings.push(finding("path-missing", line, "names `x.md`"));
            }
            (rows, findings)
        };
        let (rows, findings) = with(40);
        check(&rows, &findings, &[]);
        let (rows, findings) = with(39);
        check(&rows, &findings, &["more than 5 % of the judged `path-missing`"]);
    }

    #[test]
    fn another_target_is_another_finding() {
        let (mut rows, mut findings) = of_each_code();
        rows.push_str("path-missing\ta/SKILL.md\t3\tx.md\ttrue\tno such file\n");
        findings.push(finding("path-missing", 3, "names `y.md`"));
        check(&rows, &findings, &["no longer reported"]);
    }

    #[test]
    fn row_without_its_fields_is_a_failure() {
        let (mut rows, findings) = of_each_code();
        rows.push_str("# a comment\npath-missing\ta/SKILL.md\t1\t-\tperhaps\tread\n");
        check(&rows, &findings, &["a row is not one of six fields"]);
    }
}
