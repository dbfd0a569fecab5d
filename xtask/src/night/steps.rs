//! The steps of the night.

use std::path::Path;

use toml::{Table, Value};

use crate::process::Failure;

/// The steps that are always there.
const FIXED: &str = include_str!("steps.toml");

/// A check with what it guards and about how long it takes.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) name: String,
    pub(crate) about: String,
    /// The arguments of `cargo xtask`.
    pub(crate) command: Vec<String>,
    pub(crate) when: When,
    /// The beginnings of the paths that it guards: a change of one runs the step with the change.
    pub(crate) guards: Vec<String>,
    /// About how long it takes after the tests on two cores, with what it compiles and installs.
    pub(crate) seconds: u64,
    /// The programs that it needs beside Rust and a C compiler.
    pub(crate) programs: Vec<String>,
}

/// When a step runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Each night, and with a change of what it guards.
    Night,
    /// Only with a change of what it guards: at night, another step has it.
    Changed,
    /// Only if it is named.
    Asked,
}

impl Step {
    /// Returns the first program that is not installed.
    pub(crate) fn missing_program(&self) -> Option<&str> {
        let places = std::env::var_os("PATH").unwrap_or_default();
        let places: Vec<_> = std::env::split_paths(&places).collect();
        let mut programs = self.programs.iter().map(String::as_str);
        programs.find(|program| !places.iter().any(|place| place.join(program).is_file()))
    }
}

/// Returns all steps: those that are always there, and one for the night's tests of each package
/// that has some.
pub(crate) fn steps(root: &Path) -> Result<Vec<Step>, Failure> {
    let mut steps = read(FIXED)?;
    steps.extend(night_tests(root)?);
    Ok(steps)
}

/// Reads the tables `step` of a document.
pub(super) fn read(document: &str) -> Result<Vec<Step>, Failure> {
    let document: Table = document.parse()?;
    let steps = document.get("step").and_then(Value::as_array).into_iter().flatten();
    let steps = steps.map(|step| {
        let text = |key: &str| step.get(key).and_then(Value::as_str).unwrap_or_default();
        let list = |key: &str| {
            let list = step.get(key).and_then(Value::as_array).into_iter().flatten();
            list.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let seconds = step.get("seconds").and_then(Value::as_integer);
        Step {
            name: text("name").to_owned(),
            about: text("about").to_owned(),
            command: text("command").split_whitespace().map(str::to_owned).collect(),
            when: match text("when") {
                "asked" => When::Asked,
                "changed" => When::Changed,
                _ => When::Night,
            },
            guards: list("guards"),
            seconds: seconds.and_then(|seconds| seconds.try_into().ok()).unwrap_or(600),
            programs: list("programs"),
        }
    });
    Ok(steps.collect())
}

fn night_tests(root: &Path) -> Result<Vec<Step>, Failure> {
    let mut steps = Vec::new();
    for (folder, prefix) in [("crates", ""), ("plugins", "prowess-plugin-")] {
        for entry in std::fs::read_dir(root.join(folder))? {
            let directory = entry?;
            let tests = directory.path().join("tests/it");
            if tests.join("night").is_dir() || tests.join("night.rs").is_file() {
                let name = directory.file_name().to_string_lossy().into_owned();
                let package = format!("{prefix}{name}");
                steps.push(Step {
                    name: format!("night {package}"),
                    about: "its tests that take long or need other programs".to_owned(),
                    command: ["test", "--night", &package].map(str::to_owned).to_vec(),
                    when: When::Changed,
                    guards: vec![format!("{folder}/{name}/")],
                    // The plugin host's tests build flavors of plugins first.
                    seconds: if package == "prowess-plugin-host" { 120 } else { 60 },
                    programs: programs(&package).split(' ').map(str::to_owned).collect(),
                });
            }
        }
    }
    steps.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(steps)
}

/// Returns the programs that the night's tests of a package need.
fn programs(package: &str) -> &'static str {
    match package {
        "prowess-cli" => "strace bwrap fish man tmux zsh",
        "prowess-postgres" => "initdb pgbench postgres psql",
        "prowess-gate" => "strace bwrap busybox dash",
        _ => "strace bwrap",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_complete_and_guard_paths_that_exist() {
        let steps = steps(&crate::root()).expect("the repository can be read");
        assert!(steps.len() > 20, "{}", steps.len());
        let mut names = std::collections::BTreeSet::new();
        for step in steps {
            assert!(names.insert(step.name.clone()), "two steps are named `{}`", step.name);
            assert!(!step.about.is_empty() && !step.command.is_empty(), "{step:?}");
            for path in &step.guards {
                // The last part is the start of a name.
                let path = crate::root().join(path);
                let start = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let parent = path.parent().expect("it is below the top");
                let mut entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
                let is_it = |entry: std::fs::DirEntry| {
                    entry.file_name().to_string_lossy().starts_with(&start)
                };
                assert!(entries.any(is_it), "{}: `{}`", step.name, path.display());
            }
        }
    }

    #[test]
    fn missing_program_is_found() {
        let steps = read("[[step]]\nprograms = [\"sh\", \"no-such-program\"]\n[[step]]\n");
        let steps = steps.expect("it is TOML");
        assert_eq!(steps[0].missing_program(), Some("no-such-program"));
        assert_eq!(steps[1].missing_program(), None);
    }
}
