//! The verdict of each profile on each package.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use super::{VERDICTS, packages, relative, text};

/// The profiles whose verdicts are recorded, in the order of the reports.
pub(super) const PROFILES: [&str; 3] = ["spec", "strict", "skills-ref"];

/// The codes of links that lead out of a package, which the reference tool does not look at.
const OUTSIDE: [&str; 2] = ["link-absolute", "link-leaves-package"];

const HEADING: &str = "\
# The packages of the corpus that a profile calls invalid: profile, package and the codes of its errors.
# Written by `UPDATE_EXPECT=1 cargo xtask findings`.
";

/// The invalid packages by profile and path, each with the codes of its errors.
pub(super) type Verdicts = BTreeMap<(&'static str, String), BTreeSet<String>>;

/// Returns the invalid packages of the reports, one report for each profile.
pub(super) fn verdicts(reports: &[&Value; PROFILES.len()], directory: &Path) -> Verdicts {
    let mut verdicts = Verdicts::new();
    for (profile, report) in PROFILES.into_iter().zip(reports) {
        for package in packages(report).filter(|package| package["valid"] != true) {
            let path = relative(text(package, "path"), directory);
            verdicts.insert((profile, path), errors(package));
        }
    }
    verdicts
}

fn errors(package: &Value) -> BTreeSet<String> {
    let found = package["diagnostics"].as_array().into_iter().flatten();
    let errors = found.filter(|found| found["severity"] == "error");
    errors.map(|found| text(found, "code").to_owned()).collect()
}

pub(super) fn page(verdicts: &Verdicts) -> String {
    HEADING.to_owned() + &lines(verdicts).concat()
}

fn lines(verdicts: &Verdicts) -> Vec<String> {
    let rows = verdicts.iter();
    rows.map(|((profile, path), codes)| {
        let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
        format!("{profile}\t{path}\t{}\n", codes.join(" "))
    })
    .collect()
}

/// Returns the number of packages on which `spec` is stricter than the reference tool.
pub(super) fn beside_the_reference(verdicts: &Verdicts) -> String {
    let accepted = verdicts.iter().filter(|((profile, path), _)| {
        *profile == "spec" && !verdicts.contains_key(&("skills-ref", path.clone()))
    });
    let accepted: Vec<_> = accepted.map(|(_, codes)| codes).collect();
    let leaves =
        |codes: &&&BTreeSet<String>| codes.iter().all(|code| OUTSIDE.contains(&code.as_str()));
    let leaving = accepted.iter().filter(leaves).count();
    format!(
        "{} packages are valid under `skills-ref` and not under `spec`, {leaving} of them only for \
         links that lead out of the package\n",
        accepted.len()
    )
}

/// Returns a sentence for each verdict that differs from the recorded one.
pub(super) fn problems(page: &str, verdicts: &Verdicts) -> Vec<String> {
    let recorded: BTreeSet<&str> = page.lines().filter(|line| !line.starts_with('#')).collect();
    let lines = lines(verdicts);
    let current: BTreeSet<&str> = lines.iter().map(|line| line.trim_end()).collect();
    let gone = recorded.difference(&current).map(|line| format!("- {line}"));
    let new = current.difference(&recorded).map(|line| format!("+ {line}"));
    let mut problems: Vec<String> = gone.chain(new).collect();
    if !problems.is_empty() {
        problems.push(format!(
            "verdicts differ from `{VERDICTS}`; if that is intended, accept them by \
             `UPDATE_EXPECT=1 cargo xtask findings`"
        ));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A report of one package, which is invalid if it has codes.
    fn report(codes: &[&str]) -> Value {
        let error = |code: &&str| json!({ "severity": "error", "code": code });
        let mut diagnostics: Vec<Value> = codes.iter().map(error).collect();
        diagnostics.push(json!({ "severity": "hint", "code": "body-no-when" }));
        let valid = codes.is_empty();
        json!({ "packages": [{ "path": "/c/a", "valid": valid, "diagnostics": diagnostics }] })
    }

    fn of(spec: &[&str], strict: &[&str], reference: &[&str]) -> Verdicts {
        let reports = [spec, strict, reference].map(report);
        let [spec, strict, reference] = &reports;
        verdicts(&[spec, strict, reference], Path::new("/c"))
    }

    #[test]
    fn errors_of_invalid_packages_are_recorded() {
        let verdicts = of(&[], &["unknown-field", "link-broken", "unknown-field"], &[]);
        assert_eq!(page(&verdicts), format!("{HEADING}strict\ta\tlink-broken unknown-field\n"));
        assert!(problems(&page(&verdicts), &verdicts).is_empty());
    }

    #[test]
    fn changed_verdict_is_a_failure() {
        let recorded = page(&of(&["unknown-field"], &["unknown-field"], &[]));
        let changed = problems(&recorded, &of(&[], &["name-invalid"], &[]));
        let expected =
            ["- spec\ta\tunknown-field", "- strict\ta\tunknown-field", "+ strict\ta\tname-invalid"];
        assert_eq!(changed[..3], expected);
        assert_eq!(changed.len(), 4, "{changed:?}");
    }

    #[test]
    fn packages_that_only_the_reference_accepts_are_counted() {
        let check = |spec: &[&str], reference: &[&str], expected: &str| {
            let text = beside_the_reference(&of(spec, &[], reference));
            assert!(text.starts_with(expected), "{text}");
        };
        let both = "1 packages are valid under `skills-ref` and not under `spec`, 1 of them";
        check(&["link-leaves-package"], &[], both);
        let other = "1 packages are valid under `skills-ref` and not under `spec`, 0 of them";
        check(&["link-leaves-package", "unknown-field"], &[], other);
        check(&["link-leaves-package"], &["skills-ref"], "0 packages");
    }
}
