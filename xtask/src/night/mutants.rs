//! `cargo xtask mutants`: for each small change of the code, a test must fail.

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

/// The files whose rules have models and properties, with the modules of tests that hold these.
const PROVED: &str = include_str!("proved.txt");

/// Changes each crate in every way that cargo-mutants can think of, and runs the crate's tests for
/// each. Fails if a change is missed. The changes that no test can catch are listed, with reasons,
/// in `.cargo/mutants.toml`. All runs are on a copy of the workspace and share one build.
pub(crate) fn run(crates: &[&str]) -> Result<(), Failure> {
    let crates = if crates.is_empty() { &CRATES[..] } else { crates };
    let runs = crates.iter().map(|name| Run { name, files: vec![], modules: vec![] });
    refuse_missed(runs)
}

/// Changes the files whose rules have models, and runs the vectors and the properties alone.
pub(crate) fn run_proved(crates: &[&str]) -> Result<(), Failure> {
    let runs = PROVED.lines().filter_map(|line| {
        let (name, rest) = line.split_once(": ")?;
        let (files, modules) = rest.split_once("; ")?;
        let is_asked = crates.is_empty() || crates.contains(&name);
        is_asked.then(|| Run { name, files: words(files), modules: words(modules) })
    });
    refuse_missed(runs)
}

/// One crate, whose `files` are changed, and of whose tests the `modules` run; none is all of them.
struct Run<'a> {
    name: &'a str,
    files: Vec<&'a str>,
    modules: Vec<&'a str>,
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
        let _ = std::fs::remove_dir_all(&results);
        std::fs::create_dir_all(&results)?;
        let mut command = cargo_command(["mutants", "--package", self.name, "--output"]);
        command.arg(&results).env("CARGO_TARGET_DIR", directory.join("build"));
        for file in &self.files {
            command.args(["--file", &format!("crates/{}/src/{file}", self.name)]);
        }
        let users = if self.modules.is_empty() { users(self.name) } else { &[] };
        for tested in [self.name].iter().chain(users) {
            command.args(["--test-package", tested]);
        }
        if !self.modules.is_empty() {
            command.args(["--", "--test", "it", "--"]);
            command.args(self.modules.iter().map(|module| format!("{module}::")));
        }
        // It ends so, too, if mutants are missed or take too long; it has printed how many.
        let ended = run_program(&mut command);
        std::fs::read_to_string(results.join("mutants.out/missed.txt")).map_err(|error| {
            let Failure(failure) = ended.err().unwrap_or(Failure(error.to_string()));
            Failure(format!("{failure}; `cargo install cargo-mutants --locked` installs the tool"))
        })
    }
}
