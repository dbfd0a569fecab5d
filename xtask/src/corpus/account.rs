//! Checks that every `SKILL.md` of a real tree is visible, shadowed or rejected for a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{Programs, json_of, text};
use crate::process::Failure;

/// The minimum share of packages that load, in percent.
const LEAST_LOADED: usize = 99;

/// Lists a directory with the built program, whose default is the profile `lenient`. Fails if a
/// package is missing or reported twice, or if too few load.
pub(super) fn run(directory: &Path, programs: &Programs) -> Result<(), Failure> {
    let found = find_packages(directory)?;
    if found.is_empty() {
        return Err(Failure(format!("there is no SKILL.md in `{}`", directory.display())));
    }
    let mut command = Command::new(&programs.prowess);
    command.arg("--root").arg(directory).args(["list", "--format", "json"]);
    let report = json_of(&mut command)?;
    let account = account(&found, &report);
    println!("{}", account.summary());
    let frontmatter = found.iter().filter_map(|path| fs::read_to_string(path).ok());
    println!("{}", patterns(frontmatter, &report));
    account.judge()
}

/// Returns how many patterns of `Bash(…)` stand between the fences of files, how many of them
/// differ, and of how many a finding says that they grant nothing.
fn patterns(files: impl Iterator<Item = String>, report: &Value) -> String {
    let mut all = Vec::new();
    for file in files {
        let fields = file.split("---").nth(1).unwrap_or_default();
        for (at, start) in fields.match_indices("Bash(") {
            let pattern = &fields[at + start.len()..];
            let mut depth = 1;
            let end = pattern.find(|sign| {
                depth += i32::from(sign == '(') - i32::from(sign == ')');
                depth == 0
            });
            all.extend(end.map(|end| pattern[..end].to_owned()));
        }
    }
    let is_idle = |finding: &&Value| {
        let message = text(finding, "message");
        message.starts_with("the rule `Bash(") && message.contains("` grants nothing")
    };
    let findings = report["diagnostics"].as_array().into_iter().flatten();
    let idle = findings.filter(is_idle).count();
    let distinct: BTreeSet<_> = all.iter().collect();
    format!(
        "{} patterns of `Bash(…)`, {} distinct; {idle} grant nothing",
        all.len(),
        distinct.len()
    )
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

/// The packages by their result.
#[derive(Debug, Default, PartialEq, Eq)]
struct Account {
    visible: usize,
    shadowed: usize,
    rejected: usize,
    missing: Vec<PathBuf>,
    /// In two lists, or twice in one.
    double: Vec<PathBuf>,
}

/// Compares what lies on the disk with what `list` reports.
fn account(found: &BTreeSet<PathBuf>, report: &Value) -> Account {
    let entries = |list: &str| report[list].as_array().into_iter().flatten();
    let places = |list: &str| entries(list).map(|entry| place(text(entry, "location"))).collect();
    let [skills, shadowed]: [Vec<_>; 2] = ["skills", "shadowed"].map(places);
    // A file may have several errors and is rejected once.
    let reasons = entries("diagnostics").filter(|diagnostic| is_reason(diagnostic));
    let rejected: BTreeSet<_> = reasons.map(|reason| place(text(reason, "path"))).collect();
    let mut account = Account::default();
    for path in found {
        let count = |places: &[PathBuf]| places.iter().filter(|place| *place == path).count();
        match [count(&skills), count(&shadowed), usize::from(rejected.contains(path))] {
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
    let has = |key: &str| !text(diagnostic, key).is_empty();
    diagnostic["severity"] == "error" && ["code", "message", "help"].into_iter().all(has)
}

/// Resolves the links of a path up to the package's directory, so that two spellings are one.
fn place(path: &str) -> PathBuf {
    let path = Path::new(path);
    let directory = path.parent().and_then(|parent| parent.canonicalize().ok());
    match (directory, path.file_name()) {
        (Some(directory), Some(name)) => directory.join(name),
        _ => path.to_owned(),
    }
}

impl Account {
    fn packages(&self) -> usize {
        self.loaded() + self.rejected + self.missing.len() + self.double.len()
    }

    /// A shadowed package has loaded, too.
    fn loaded(&self) -> usize {
        self.visible + self.shadowed
    }

    fn summary(&self) -> String {
        let Self { visible, shadowed, rejected, missing, double } = self;
        let loaded = 100.0 * self.loaded() as f64 / self.packages().max(1) as f64;
        format!(
            "{} packages: {visible} visible, {shadowed} shadowed, {rejected} rejected, {} missing, \
             {} listed twice; {loaded:.1} % load",
            self.packages(),
            missing.len(),
            double.len()
        )
    }

    fn judge(&self) -> Result<(), Failure> {
        if !self.missing.is_empty() || !self.double.is_empty() {
            return Err(Failure(format!(
                "not every package is exactly one of visible, shadowed and rejected; missing: {:?}; \
                 listed twice: {:?}",
                self.missing, self.double
            )));
        }
        if self.loaded() * 100 < self.packages() * LEAST_LOADED {
            return Err(Failure(format!("fewer than {LEAST_LOADED} % of the packages load")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Compares the counts of visible, shadowed, rejected, missing and double ones among three.
    #[track_caller]
    fn check(skills: &[&str], shadowed: &[&str], diagnostics: &[Value], expected: [usize; 5]) {
        let found = ["/none/a/SKILL.md", "/none/b/SKILL.md", "/none/c/skill.md"];
        let located = |paths: &[&str]| -> Vec<Value> {
            paths.iter().map(|path| json!({ "location": path })).collect()
        };
        let report = json!({
            "skills": located(skills), "shadowed": located(shadowed), "diagnostics": diagnostics
        });
        let account = account(&found.into_iter().map(PathBuf::from).collect(), &report);
        let Account { visible, shadowed, rejected, missing, double } = &account;
        let counts = [*visible, *shadowed, *rejected, missing.len(), double.len()];
        assert_eq!(counts, expected, "{report}");
        assert!(account.judge().is_err(), "a package is missing, double or rejected");
    }

    #[test]
    fn each_package_is_in_one_list() {
        let [a, b, c] = ["/none/a/SKILL.md", "/none/b/SKILL.md", "/none/c/skill.md"];
        let rejected = json!({
            "severity": "error", "path": c, "code": "x", "message": "no", "help": "fix it"
        });
        let twice = [rejected.clone(), rejected.clone()];
        check(&[a], &[b], &twice, [1, 1, 1, 0, 0]);
        let warning = json!({ "severity": "warning", "path": b });
        check(&[a], &[], &[warning], [1, 0, 0, 2, 0]);
        check(&[a, b, b, c], &[a], &twice, [0, 0, 0, 0, 3]);
        for key in ["code", "message", "help"] {
            let mut silent = rejected.clone();
            silent[key] = "".into();
            check(&[a, b], &[], &[silent], [2, 0, 0, 1, 0]);
        }
    }

    #[test]
    fn patterns_are_counted() {
        let files =
            ["---\na: Bash(git:*), Bash(a (b) c)\n---\nBash(x)", "---\n- Bash(git:*)\n---\n"];
        let finding = |message: &str| json!({ "message": message });
        let idle = "the rule `Bash(a (b) c)` grants nothing: it is";
        let report = json!({ "diagnostics": [finding(idle), finding("the rule `Read(` is")] });
        let counted = patterns(files.into_iter().map(str::to_owned), &report);
        assert_eq!(counted, "3 patterns of `Bash(…)`, 2 distinct; 1 grant nothing");
    }

    #[test]
    fn fewer_than_the_limit_may_not_load() {
        for (visible, shadowed, rejected, share, is_accepted) in [
            (99, 0, 1, "99.0 % load", true),
            (92, 7, 1, "99.0 % load", true),
            (989, 0, 11, "98.9 % load", false),
        ] {
            let account = Account { visible, shadowed, rejected, ..Account::default() };
            assert_eq!(account.judge().is_ok(), is_accepted, "{share}");
            assert!(account.summary().ends_with(share), "{}", account.summary());
        }
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
