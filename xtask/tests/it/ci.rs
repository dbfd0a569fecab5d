//! `.ci/run` without and with the material next to the clone.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The programs that the script uses as they are.
const REAL: [&str; 7] = ["bash", "df", "dirname", "env", "mktemp", "rm", "sh"];

/// The programs that only write down their arguments.
const RECORDED: [&str; 18] = [
    "apt-get",
    "bwrap",
    "cargo",
    "cargo-clippy",
    "cargo-fmt",
    "cc",
    "docker-registry",
    "fish",
    "git",
    "groff",
    "man",
    "python3",
    "rustc",
    "strace",
    "tmux",
    "valgrind",
    "zsh",
    "first-ten-minutes",
];

/// The steps that need the corpus or the recorded answers.
const WITH_MATERIAL: [(&str, &str); 6] = [
    ("a corpus of real skills", "cargo xtask corpus ../shared/corpus"),
    ("queries whose answers are known", "cargo xtask search ../shared/corpus"),
    ("judged findings of the checker", "cargo xtask findings ../shared/corpus"),
    ("skills that a model reaches under a budget", "cargo xtask recall ../shared/corpus"),
    (
        "the reference tool's answers",
        "cargo xtask conformance ../shared/conformance/skills-ref.json",
    ),
    ("every skill in two calls of the protocol", "cargo xtask reach ../shared/corpus"),
];

/// A clone that has nothing but the script.
struct Clone(TempDir);

impl Clone {
    fn new() -> Self {
        let clone = Self(tempfile::tempdir().expect("a temporary directory"));
        fs::create_dir_all(clone.path("clone/.ci")).expect("a directory");
        fs::create_dir(clone.path("bin")).expect("a directory");
        for name in [".ci/run", ".ci/tools"] {
            fs::copy(top(name), clone.path("clone").join(name)).expect("a copy");
        }
        for name in REAL {
            symlink(find(name), clone.path("bin").join(name)).expect("a link");
        }
        for name in RECORDED {
            clone.record(name, "");
        }
        // It runs the command after its options and the limit.
        clone.record("timeout", "shift 3; exec \"$@\"");
        symlink("../../bin/first-ten-minutes", clone.path("clone/.ci/first-ten-minutes"))
            .expect("a link");
        clone
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Creates a program that writes down its name and arguments, and then runs more commands.
    fn record(&self, name: &str, more: &str) {
        let log = self.path("log");
        let script = format!("#!/bin/sh\necho \"${{0##*/}} $*\" >>{}\n{more}\n", log.display());
        let path = self.path("bin").join(name);
        fs::write(&path, script).expect("a program");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
    }

    fn write_material(&self) {
        fs::create_dir_all(self.path("shared/corpus")).expect("a directory");
        fs::create_dir_all(self.path("shared/conformance")).expect("a directory");
        fs::write(self.path("shared/conformance/skills-ref.json"), "{}").expect("a file");
    }

    fn run(&self, ci: Option<&str>) -> Output {
        let mut command = Command::new(find("bash"));
        command.arg(".ci/run").current_dir(self.path("clone"));
        command.env_clear().env("PATH", self.path("bin")).env("HOME", self.0.path());
        command.envs(ci.map(|ci| ("CI", ci)));
        command.output().expect("bash runs")
    }

    /// The recorded calls, in their order.
    fn calls(&self) -> Vec<String> {
        let log = fs::read_to_string(self.path("log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    fn has_called(&self, call: &str) -> bool {
        self.calls().iter().any(|line| line == call)
    }
}

/// A file of this repository.
fn top(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn find(name: &str) -> PathBuf {
    let places = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&places).map(|place| place.join(name)).find(|it| it.exists());
    found.unwrap_or_else(|| panic!("`{name}` is on the path"))
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn steps_without_their_material_are_named_and_left_out() {
    for ci in [None, Some("false")] {
        let clone = Clone::new();
        let output = clone.run(ci);
        assert!(output.status.success(), "{}", stderr(&output));
        let named = WITH_MATERIAL
            .map(|(name, _)| format!("left out, as its material is missing: {name}\n"))
            .concat();
        assert!(stdout(&output).ends_with(&named), "{}", stdout(&output));
        for (_, call) in WITH_MATERIAL {
            assert!(!clone.has_called(call), "`{call}` has nothing to read");
        }
        for call in ["cargo xtask test", "cargo xtask plugins", "first-ten-minutes "] {
            assert!(clone.has_called(call), "`{call}` needs no material: {:#?}", clone.calls());
        }
    }
}

#[test]
fn missing_material_is_a_failure_on_the_server() {
    let clone = Clone::new();
    let output = clone.run(Some("true"));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output), "error: `../shared/corpus` is missing\n");
    assert!(clone.calls().is_empty(), "it fails before the first step: {:#?}", clone.calls());
}

#[test]
fn every_step_runs_with_its_material() {
    let clone = Clone::new();
    clone.write_material();
    let output = clone.run(Some("true"));
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!stdout(&output).contains("left out"), "{}", stdout(&output));
    for (name, call) in WITH_MATERIAL {
        assert!(stdout(&output).contains(&format!("\n== {name}\n$ {call}\n")), "{name}");
        assert!(clone.has_called(call), "`{call}` has run");
    }
}

#[test]
fn steps_have_a_time_limit_on_the_server() {
    for (ci, has_limit) in [(Some("true"), true), (None, false)] {
        let clone = Clone::new();
        clone.write_material();
        assert!(clone.run(ci).status.success());
        let calls = clone.calls();
        let limited = "timeout --verbose --kill-after=10 50m ";
        let limits = calls.iter().filter_map(|call| call.strip_prefix(limited));
        assert_eq!(limits.clone().any(|step| step == "cargo xtask test"), has_limit, "{calls:#?}");
        let steps = calls.iter().filter(|call| call.starts_with("cargo xtask "));
        assert_eq!(steps.clone().all(|step| limits.clone().any(|it| it == step)), has_limit);
    }
}

#[test]
fn failed_step_is_the_last_one() {
    let clone = Clone::new();
    clone.record("cargo", "[ \"$2\" != circles ]");
    let output = clone.run(None);
    assert_eq!(output.status.code(), Some(1));
    assert!(!stdout(&output).contains("all checks passed"), "{}", stdout(&output));
    assert!(clone.has_called("cargo xtask test"));
    assert_eq!(clone.calls().last().map(String::as_str), Some("cargo xtask circles"));
}

#[test]
fn missing_tool_is_a_failure() {
    let clone = Clone::new();
    fs::remove_file(clone.path("bin/cargo-fmt")).expect("it was there");
    let output = clone.run(None);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output), "error: `cargo-fmt` is not installed\n");
}

#[test]
fn missing_program_of_a_test_is_installed() {
    let clone = Clone::new();
    fs::remove_file(clone.path("bin/bwrap")).expect("it was there");
    assert!(clone.run(None).status.success());
    let installs: Vec<_> =
        clone.calls().into_iter().filter(|it| it.contains(" install ")).collect();
    assert!(installs.contains(&"apt-get install --yes bubblewrap".to_owned()), "{installs:?}");
    assert!(!installs.contains(&"apt-get install --yes strace".to_owned()), "{installs:?}");
}

#[test]
fn long_checks_run_at_night() {
    let path = top(".github/workflows/nightly.yml");
    let workflow = fs::read_to_string(path).expect("it is there");
    assert!(workflow.contains("\n  schedule:\n"), "{workflow}");
    for task in ["\"coverage\"", "\"release --dry-run\"", "\"soak --messages\""] {
        assert!(workflow.contains(task), "{task}: {workflow}");
    }
    assert!(workflow.contains(" cargo xtask ${{ matrix.task }}\n"), "{workflow}");
}

#[test]
fn the_workflow_runs_the_script() {
    let workflow = fs::read_to_string(top(".github/workflows/ci.yml")).expect("it is there");
    let runs = workflow.lines().filter(|line| line.trim_start().starts_with("- run: "));
    assert!(runs.clone().any(|line| line.ends_with(" bash .ci/run")), "{workflow}");
}
