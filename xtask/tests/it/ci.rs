//! `.ci/run` without and with the material next to the clone.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The programs that the script uses as they are.
const REAL: [&str; 9] = ["bash", "df", "dirname", "env", "head", "mktemp", "rm", "sh", "sort"];

/// The programs that only write down their arguments.
const RECORDED: [&str; 7] =
    ["cargo", "cargo-clippy", "cargo-fmt", "cc", "git", "rustc", "first-ten-minutes"];

/// The step that needs the corpus.
const CORPUS: &str = "cargo xtask corpus ../shared/corpus";

/// A clone that has nothing but the script.
struct Clone(TempDir);

impl Clone {
    fn new() -> Self {
        let clone = Self(tempfile::tempdir().expect("a temporary directory"));
        fs::create_dir_all(clone.path("clone/.ci")).expect("a directory");
        fs::create_dir(clone.path("bin")).expect("a directory");
        fs::copy(top(".ci/run"), clone.path("clone/.ci/run")).expect("a copy");
        for name in REAL {
            symlink(find(name), clone.path("bin").join(name)).expect("a link");
        }
        for name in RECORDED {
            clone.record(name, "");
        }
        clone.record("nproc", "echo 2");
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
    }

    fn command(&self, ci: Option<&str>) -> Command {
        let mut command = Command::new(find("bash"));
        command.arg(".ci/run").current_dir(self.path("clone"));
        command.env_clear().env("PATH", self.path("bin")).env("HOME", self.0.path());
        command.envs(ci.map(|ci| ("CI", ci)));
        command
    }

    fn run(&self, ci: Option<&str>) -> Output {
        self.command(ci).output().expect("bash runs")
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
fn step_without_its_material_is_named_and_left_out() {
    for ci in [None, Some("false")] {
        let clone = Clone::new();
        let output = clone.run(ci);
        assert!(output.status.success(), "{}", stderr(&output));
        let named = "left out, as its material is missing: a corpus of real skills\n";
        assert!(stdout(&output).ends_with(named), "{}", stdout(&output));
        assert!(!clone.has_called(CORPUS), "it has nothing to read");
        for call in ["cargo run --timings -- tour", "cargo xtask test", "first-ten-minutes "] {
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
    let shown = format!("\n== a corpus of real skills\n$ {CORPUS}\n");
    assert!(stdout(&output).contains(&shown), "{}", stdout(&output));
    assert!(clone.has_called(CORPUS), "{:#?}", clone.calls());
}

#[test]
fn changed_parts_are_checked_within_the_time_that_is_left() {
    let clone = Clone::new();
    assert!(clone.run(None).status.success());
    let calls = clone.calls();
    let seconds = calls.iter().find_map(|call| call.strip_prefix("cargo xtask changed --seconds "));
    let seconds: Option<u32> = seconds.and_then(|seconds| seconds.parse().ok());
    assert!(seconds.is_some_and(|seconds| (1..=1500).contains(&seconds)), "{calls:#?}");
}

#[test]
fn steps_have_a_time_limit_on_the_server() {
    for (ci, has_limit) in [(Some("true"), true), (None, false)] {
        let clone = Clone::new();
        clone.write_material();
        assert!(clone.run(ci).status.success());
        let calls = clone.calls();
        let limited = "timeout --verbose --kill-after=10 25m ";
        let limits = calls.iter().filter_map(|call| call.strip_prefix(limited));
        assert_eq!(limits.clone().any(|step| step == "cargo xtask test"), has_limit, "{calls:#?}");
        let steps = calls.iter().filter(|call| call.starts_with("cargo xtask "));
        let steps = steps.filter(|call| *call != "cargo xtask compile-times");
        assert_eq!(steps.clone().all(|step| limits.clone().any(|it| it == step)), has_limit);
    }
}

#[test]
fn failed_step_is_the_last_one() {
    let clone = Clone::new();
    clone.record("cargo", "[ \"$2\" != loom ]");
    let output = clone.run(None);
    assert_eq!(output.status.code(), Some(1));
    assert!(!stdout(&output).contains("all checks passed"), "{}", stdout(&output));
    assert!(clone.has_called("cargo xtask test"));
    assert_eq!(clone.calls().last().map(String::as_str), Some("cargo xtask loom"));
}

#[test]
fn ten_slowest_steps_are_shown() {
    let output = Clone::new().run(None);
    let stdout = stdout(&output);
    let (_, slowest) = stdout.split_once("\nthe slowest steps\n").expect("they have a heading");
    assert_eq!(slowest.lines().take_while(|line| line.contains(" s  ")).count(), 10, "{stdout}");
}

#[test]
fn slowest_crates_are_shown() {
    let clone = Clone::new();
    clone.record("cargo", "[ \"$2\" != compile-times ] || echo '9 s  prowess'");
    let stdout = stdout(&clone.run(None));
    let shown = "\nthe crates that took longest to compile\n9 s  prowess\n";
    assert!(stdout.contains(shown), "{stdout}");
}

#[test]
fn run_over_the_limit_is_a_failure_on_two_cores() {
    for (seconds, cores, is_failure) in [(90_000, 2, true), (90_000, 4, false), (0, 2, false)] {
        let clone = Clone::new();
        clone.record("nproc", &format!("echo {cores}"));
        // Bash starts to count there.
        let output = clone.command(None).env("SECONDS", seconds.to_string()).output();
        let output = output.expect("bash runs");
        assert_eq!(output.status.success(), !is_failure, "{seconds} s on {cores} cores");
        let message = "error: the checks passed, but took 900";
        assert_eq!(stderr(&output).contains(message), is_failure, "{}", stderr(&output));
    }
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
fn the_workflows_run_the_script_and_the_night() {
    for (name, command) in [("ci", " bash .ci/run"), ("nightly", " cargo xtask nightly")] {
        let path = top(&format!(".github/workflows/{name}.yml"));
        let workflow = fs::read_to_string(path).expect("it is there");
        let mut runs = workflow.lines().filter(|line| line.trim_start().starts_with("- run: "));
        assert!(runs.any(|line| line.ends_with(command)), "{workflow}");
    }
}
