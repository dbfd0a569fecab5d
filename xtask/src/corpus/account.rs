//! Checks that every `SKILL.md` of a real tree is visible, shadowed or rejected for a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::Programs;
use crate::process::{Failure, output};

/// The minimum share of packages that load, in percent.
const LEAST_LOADED: usize = 97;

/// Lists a directory with the built program, whose default is the profile `lenient`. Fails if a
/// package is missing or reported twice, or if too few load.
pub(super) fn run(directory: &Path, programs: &Programs) -> Result<(), Failure> {
    let found = find_packages(directory)?;
    if found.is_empty() {
        return Err(Failure(format!("there is no SKILL.md in `{}`", directory.display())));
    }
    let account = account(&found, &list(directory, programs)?);
    println!("{}", account.summary());
    account.problems().iter().for_each(|problem| eprintln!("{problem}"));
    if !account.is_even() {
        let message = "not every package is exactly one of visible, shadowed and rejected";
        return Err(Failure(message.into()));
    }
    if account.has_too_few_loaded() {
        return Err(Failure(format!("fewer than {LEAST_LOADED} % of the packages load")));
    }
    Ok(())
}

fn list(directory: &Path, programs: &Programs) -> Result<Value, Failure> {
    let mut command = Command::new(&programs.prowess);
    command.arg("--root").arg(directory).args(["list", "--format", "json"]);
    let output = output(&mut command)?;
    serde_json::from_slice(&output.stdout).map_err(|error| {
        let said = String::from_utf8_lossy(&output.stderr);
        Failure(format!("`prowess list` printed no JSON ({error}): {said}"))
    })
}

/// Every `SKILL.md`, and every `skill.md` where that is all there is, whatever it is: a directory
/// of that name must be reported as well. What discovery skips by its documented rule is skipped
/// here.
fn find_packages(directory: &Path) -> Result<BTreeSet<PathBuf>, Failure> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(directory) = waiting.pop() {
        let mut names = BTreeMap::new();
        for entry in fs::read_dir(&directory)? {
            let entry = entry?;
            names.insert(entry.file_name(), entry.file_type()?);
        }
        let choices = ["SKILL.md", "skill.md"].into_iter();
        let package = choices.map(std::ffi::OsString::from).find(|name| names.contains_key(name));
        found.extend(package.map(|name| directory.join(name)));
        let is_entered = |name: &str| !matches!(name, ".git" | "node_modules" | "SKILL.md");
        let inner = names
            .iter()
            .filter(|(name, kind)| kind.is_dir() && name.to_str().is_none_or(is_entered));
        waiting.extend(inner.map(|(name, _)| directory.join(name)));
    }
    Ok(found)
}

/// The number of packages by their result.
#[derive(Debug, Default, PartialEq, Eq)]
struct Account {
    packages: usize,
    visible: usize,
    shadowed: usize,
    rejected: usize,
    missing: Vec<PathBuf>,
    double: Vec<PathBuf>,
}

/// Compares what lies on the disk with what `list` says of it.
fn account(found: &BTreeSet<PathBuf>, report: &Value) -> Account {
    let skills = places(&report["skills"], "location");
    let shadowed = places(&report["shadowed"], "location");
    // A file may have several errors and is rejected once.
    let errors: BTreeSet<_> = entries(&report["diagnostics"])
        .filter(|diagnostic| is_reason(diagnostic))
        .filter_map(|diagnostic| place(diagnostic, "path"))
        .collect();
    let mut account = Account { packages: found.len(), ..Account::default() };
    for path in found {
        let listed = [
            skills.iter().filter(|place| *place == path).count(),
            shadowed.iter().filter(|place| *place == path).count(),
            usize::from(errors.contains(path)),
        ];
        match listed {
            [1, 0, 0] => account.visible += 1,
            [0, 1, 0] => account.shadowed += 1,
            [0, 0, 1] => account.rejected += 1,
            [0, 0, 0] => account.missing.push(path.clone()),
            _ => account.double.push(path.clone()),
        }
    }
    account
}

/// Returns whether a finding says why a package is rejected, and what to do.
fn is_reason(diagnostic: &Value) -> bool {
    let has = |key: &str| diagnostic[key].as_str().is_some_and(|text| !text.is_empty());
    diagnostic["severity"] == "error" && ["code", "message", "help"].into_iter().all(has)
}

fn entries(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn places(list: &Value, key: &str) -> Vec<PathBuf> {
    entries(list).filter_map(|entry| place(entry, key)).collect()
}

/// A path with its links resolved up to the package's directory, for two spellings to be one.
fn place(entry: &Value, key: &str) -> Option<PathBuf> {
    let path = Path::new(entry[key].as_str()?);
    let directory = path.parent().and_then(|parent| parent.canonicalize().ok());
    Some(match (directory, path.file_name()) {
        (Some(directory), Some(name)) => directory.join(name),
        _ => path.to_owned(),
    })
}

impl Account {
    fn summary(&self) -> String {
        let Self { packages, visible, shadowed, rejected, .. } = self;
        let missing = self.missing.len();
        let double = match self.double.len() {
            0 => String::new(),
            count => format!(", {count} listed twice"),
        };
        let loaded = 100.0 * self.loaded() as f64 / (*packages).max(1) as f64;
        format!(
            "{packages} packages: {visible} visible, {shadowed} shadowed, {rejected} rejected, {missing} missing{double}; \
             {loaded:.1} % load"
        )
    }

    /// A shadowed package has loaded, too.
    fn loaded(&self) -> usize {
        self.visible + self.shadowed
    }

    fn has_too_few_loaded(&self) -> bool {
        self.loaded() * 100 < self.packages * LEAST_LOADED
    }

    fn problems(&self) -> Vec<String> {
        let missing = self.missing.iter();
        let missing = missing.map(|path| format!("missing: {}", path.display()));
        let double = self.double.iter();
        let double = double.map(|path| format!("listed twice: {}", path.display()));
        missing.chain(double).collect()
    }

    fn is_even(&self) -> bool {
        self.missing.is_empty() && self.double.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(report: &Value, expected: &str) {
        let found = ["/none/a/SKILL.md", "/none/b/SKILL.md", "/none/c/skill.md"];
        let found = found.into_iter().map(PathBuf::from).collect();
        let account = account(&found, report);
        let summary = account.summary();
        let (counts, _) = summary.split_once(';').expect("the share follows the counts");
        assert_eq!(counts, expected);
        let is_even = !expected.contains("twice") && expected.ends_with("0 missing");
        assert_eq!(account.is_even(), is_even, "{expected}");
        assert_eq!(account.problems().is_empty(), is_even, "{expected}");
    }

    fn rejected(path: &str) -> Value {
        json!({ "severity": "error", "path": path, "code": "x", "message": "no", "help": "fix it" })
    }

    #[test]
    fn rejection_without_a_reason_is_none() {
        for key in ["code", "message", "help"] {
            let mut silent = rejected("/none/c/skill.md");
            silent[key] = "".into();
            let skills =
                json!([{ "location": "/none/a/SKILL.md" }, { "location": "/none/b/SKILL.md" }]);
            check(
                &json!({ "skills": skills, "shadowed": [], "diagnostics": [silent] }),
                "3 packages: 2 visible, 0 shadowed, 0 rejected, 1 missing",
            );
        }
    }

    #[test]
    fn each_package_is_in_one_list() {
        check(
            &json!({
                "skills": [{"location": "/none/a/SKILL.md"}],
                "shadowed": [{"location": "/none/b/SKILL.md"}],
                "diagnostics": [
                    {"severity": "warning", "path": "/none/a/SKILL.md"},
                    rejected("/none/c/skill.md"),
                    rejected("/none/c/skill.md"),
                ],
            }),
            "3 packages: 1 visible, 1 shadowed, 1 rejected, 0 missing",
        );
    }

    #[test]
    fn fewer_than_the_limit_may_not_load() {
        for (visible, shadowed, packages, share, is_refused) in [
            (97, 0, 100, "97.0 % load", false),
            (90, 7, 100, "97.0 % load", false),
            (96, 0, 100, "96.0 % load", true),
            (969, 0, 1000, "96.9 % load", true),
        ] {
            let rejected = packages - visible - shadowed;
            let account = Account { packages, visible, shadowed, rejected, ..Account::default() };
            assert_eq!(account.has_too_few_loaded(), is_refused, "{share}");
            assert!(account.summary().ends_with(share), "{}", account.summary());
        }
    }

    #[test]
    fn a_warning_accounts_for_nothing() {
        check(
            &json!({
                "skills": [{"location": "/none/a/SKILL.md"}],
                "shadowed": [],
                "diagnostics": [{"severity": "warning", "path": "/none/b/SKILL.md"}],
            }),
            "3 packages: 1 visible, 0 shadowed, 0 rejected, 2 missing",
        );
    }

    #[test]
    fn a_package_in_two_lists_or_twice_in_one_is_reported_twice() {
        check(
            &json!({
                "skills": [
                    {"location": "/none/a/SKILL.md"},
                    {"location": "/none/b/SKILL.md"},
                    {"location": "/none/b/SKILL.md"},
                    {"location": "/none/c/skill.md"},
                ],
                "shadowed": [{"location": "/none/a/SKILL.md"}],
                "diagnostics": [rejected("/none/c/skill.md")],
            }),
            "3 packages: 0 visible, 0 shadowed, 0 rejected, 0 missing, 3 listed twice",
        );
    }

    #[test]
    fn packages_are_found_as_deep_as_they_lie() {
        let tree = tempfile::tempdir().expect("a temporary directory");
        for file in [
            "a/SKILL.md",
            "a/skill.md",
            "a/inner/skill.md",
            "b/SKILL.md/nothing",
            "c/README.md",
            "c/.git/SKILL.md",
            "c/node_modules/x/SKILL.md",
        ] {
            let path = tree.path().join(file);
            fs::create_dir_all(path.parent().expect("a file has a parent")).expect("a directory");
            fs::write(path, "").expect("a file");
        }
        let found = find_packages(tree.path()).expect("the tree can be read");
        let found: Vec<_> =
            found.iter().filter_map(|path| path.strip_prefix(tree.path()).ok()?.to_str()).collect();
        // On a file system without case, `skill.md` of `a` is the same file.
        assert_eq!(found, ["a/SKILL.md", "a/inner/skill.md", "b/SKILL.md"]);
    }
}
