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

/// Changes each crate in every way that cargo-mutants can think of, and runs the crate's tests for
/// each. Fails if a change is missed. The changes that no test can catch are listed, with reasons,
/// in `.cargo/mutants.toml`. All runs are on a copy of the workspace and share one build.
pub(crate) fn run(crates: &[&str]) -> Result<(), Failure> {
    let crates = if crates.is_empty() { &CRATES[..] } else { crates };
    let directory = root().join("target/mutants");
    let mut missed = Vec::new();
    for name in crates {
        let results = directory.join(name);
        let _ = std::fs::remove_dir_all(&results);
        std::fs::create_dir_all(&results)?;
        let mut command = cargo_command(["mutants", "--package", name, "--output"]);
        command.arg(&results).env("CARGO_TARGET_DIR", directory.join("build"));
        for tested in [name].into_iter().chain(users(name)) {
            command.args(["--test-package", tested]);
        }
        // It ends so, too, if mutants are missed or take too long; it has printed how many.
        let ended = run_program(&mut command);
        let list = std::fs::read_to_string(results.join("mutants.out/missed.txt"));
        let list = list.map_err(|error| {
            let Failure(failure) = ended.err().unwrap_or(Failure(error.to_string()));
            Failure(format!("{failure}; `cargo install cargo-mutants --locked` installs the tool"))
        })?;
        missed.extend(list.lines().map(|mutant| format!("{name}: {mutant}")));
    }
    match missed.len() {
        0 => Ok(()),
        _ => Err(Failure(format!("add a test, or a reason, for {}", missed.join("\n")))),
    }
}
