//! `cargo xtask mutants`: for each small change of the code, a test must fail.

use std::fs;

use crate::process::{Failure, cargo_command, run as run_program};
use crate::root;

/// The crates that guard something: what a model may do, what it sees, and what a path opens.
const CRATES: [&str; 8] = [
    "prowess-text", "prowess-dir", "prowess-core", "prowess-registry", "prowess-session",
    "prowess-gate", "prowess-audit", "prowess-tools",
];

/// Returns the crates whose tests also run for changes of a crate that others build upon.
fn users(name: &str) -> &'static [&'static str] {
    match name {
        "prowess-core" => &["prowess-registry", "prowess-session", "prowess-gate", "prowess-tools"],
        "prowess-dir" => &["prowess-source-fs"],
        // Spans and events of reloads are tested with a whole runtime.
        "prowess-registry" | "prowess-tools" => &["prowess"],
        _ => &[],
    }
}

/// The files whose rules have models and properties, with the modules of tests that hold these, and
/// below each the changes that are no change of a rule, each group with the reason.
const PROVED: &str = include_str!("proved.txt");

/// Changes each crate in every way that cargo-mutants can think of, and runs the crate's tests for
/// each. Fails if a change is missed. The changes that no test can catch are listed, with reasons,
/// in `.cargo/mutants.toml`. All runs are on a copy of the workspace and share one build.
pub(crate) fn run(crates: &[&str]) -> Result<(), Failure> {
    let crates = if crates.is_empty() { &CRATES[..] } else { crates };
    refuse_missed(crates.iter().map(|name| Run { name, ..Run::default() }))
}

/// Changes the files whose rules have models, and runs the vectors and the properties alone.
pub(crate) fn run_proved(crates: &[&str]) -> Result<(), Failure> {
    let runs = PROVED.split("\n\n").filter_map(|part| {
        let (head, listed) = part.split_once('\n').unwrap_or((part, ""));
        let (name, rest) = head.split_once(": ")?;
        let (files, modules) = rest.split_once("; ")?;
        let listed = listed.lines().filter(|line| !line.starts_with('#')).collect();
        let is_asked = crates.is_empty() || crates.contains(&name);
        is_asked.then(|| Run { name, files: words(files), modules: words(modules), listed })
    });
    refuse_missed(runs)
}

/// One crate, whose `files` are changed except as is `listed`, and of whose tests the `modules`
/// run; none is all of them.
#[derive(Default)]
struct Run<'a> {
    name: &'a str,
    files: Vec<&'a str>,
    modules: Vec<&'a str>,
    listed: Vec<&'a str>,
}

fn words(text: &str) -> Vec<&str> {
    text.split(", ").collect()
}

fn refuse_missed<'a>(runs: impl Iterator<Item = Run<'a>>) -> Result<(), Failure> {
    let mut missed = Vec::new();
    for run in runs {
        let list = run.missed()?;
        missed.extend(list.lines().map(|mutant| format!("{}: {mutant}", run.name)));
    }
    match missed.len() {
        0 => Ok(()),
        _ => Err(Failure(format!("add a test, or a reason, for {}", missed.join("\n")))),
    }
}

impl Run<'_> {
    fn missed(&self) -> Result<String, Failure> {
        let directory = root().join("target/mutants");
        let results = directory.join(self.name);
        let _ = fs::remove_dir_all(&results);
        fs::create_dir_all(&results)?;
        let mut command = cargo_command(["mutants", "--package", self.name, "--output"]);
        command.arg(&results).env("CARGO_TARGET_DIR", directory.join("build"));
        for file in &self.files {
            command.args(["--file", &format!("crates/{}/src/{file}", self.name)]);
        }
        for listed in &self.listed {
            command.args(["--exclude-re", listed]);
        }
        let users = if self.modules.is_empty() { users(self.name) } else { &[] };
        for tested in [self.name].iter().chain(users) {
            command.args(["--test-package", tested]);
        }
        if !self.modules.is_empty() {
            // An argument of each build: else all tests of the crate are linked for each change.
            command.args(["--cargo-arg=--test=it", "--", "--"]);
            command.args(&self.modules);
        }
        // It ends so, too, if mutants are missed or take too long; it has printed how many.
        let ended = run_program(&mut command);
        fs::read_to_string(results.join("mutants.out/missed.txt")).map_err(|error| {
            let Failure(failure) = ended.err().unwrap_or(Failure(error.to_string()));
            Failure(format!("{failure}; `cargo install cargo-mutants --locked` installs the tool"))
        })
    }
}
