//! `cargo xtask mutants`: for each small change of the code, a test must fail.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::process::{Failure, cargo_command, output, run as run_program};
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

/// Changes the files whose rules have models, and runs the vectors and the properties alone. An
/// argument `K/N` takes each Nth change, from the Kth on.
pub(crate) fn run_proved(arguments: &[&str]) -> Result<(), Failure> {
    let (samples, crates): (Vec<&str>, Vec<&str>) =
        arguments.iter().copied().partition(|argument| argument.contains('/'));
    let runs = PROVED.split("\n\n").filter_map(|part| {
        let (head, listed) = part.split_once('\n').unwrap_or((part, ""));
        let (name, rest) = head.split_once(": ")?;
        let (files, modules) = rest.split_once("; ")?;
        let listed = listed.lines().filter(|line| !line.starts_with('#')).collect();
        let is_asked = crates.is_empty() || crates.contains(&name);
        is_asked.then(|| Run {
            name,
            files: words(files),
            modules: words(modules),
            listed,
            sample: samples.first().copied(),
        })
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
    sample: Option<&'a str>,
}

fn words(text: &str) -> Vec<&str> {
    text.split(", ").collect()
}

fn refuse_missed<'a>(runs: impl Iterator<Item = Run<'a>>) -> Result<(), Failure> {
    let mut rows = String::from("| crate | changes | tried | not built | found | live | slow |");
    let mut missed = Vec::new();
    for run in runs {
        let (row, list) = run.missed()?;
        rows += &row;
        missed.extend(list.lines().map(|mutant| format!("{}: {mutant}", run.name)));
    }
    println!("{rows}");
    match missed.len() {
        0 => Ok(()),
        _ => Err(Failure(format!("add a test, or a reason, for {}", missed.join("\n")))),
    }
}

impl Run<'_> {
    /// Returns the command for its files.
    fn command(&self) -> Command {
        let mut command = cargo_command(["mutants", "--package", self.name]);
        for file in &self.files {
            command.args(["--file", &format!("crates/{}/src/{file}", self.name)]);
        }
        command
    }

    /// Returns a row for the table, and the changes that live.
    fn missed(&self) -> Result<(String, String), Failure> {
        let directory = root().join("target/mutants");
        let results = directory.join(self.name);
        let _ = fs::remove_dir_all(&results);
        fs::create_dir_all(&results)?;
        let mut command = self.command();
        command.arg("--output").arg(&results).env("CARGO_TARGET_DIR", directory.join("build"));
        // Only what is changed is compiled again.
        command.env("CARGO_INCREMENTAL", "1");
        if let Some(sample) = self.sample {
            command.args(["--sharding", "round-robin", "--shard", sample]);
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
        let results = results.join("mutants.out");
        let missed = fs::read_to_string(results.join("missed.txt")).map_err(|error| {
            let Failure(failure) = ended.err().unwrap_or(Failure(error.to_string()));
            Failure(format!("{failure}; `cargo install cargo-mutants --locked` installs the tool"))
        })?;
        let counts: Value = serde_json::from_slice(&fs::read(results.join("outcomes.json"))?)?;
        let all = output(self.command().arg("--list"))?.stdout;
        let all = String::from_utf8_lossy(&all).lines().count();
        let counts = ["total_mutants", "unviable", "caught", "missed", "timeout"]
            .map(|name| format!(" {} |", counts[name]));
        Ok((format!("\n| {} | {all} |{}", self.name, counts.concat()), missed))
    }
}
