//! `cargo xtask mutants`: for each small change of the code, a test must fail.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{Failure, output};
use crate::root;

/// The crates that guard something: what a model may do, what it sees, and what a path opens.
const CRATES: [&str; 8] = [
    "prowess-text",
    "prowess-dir",
    "prowess-core",
    "prowess-registry",
    "prowess-session",
    "prowess-gate",
    "prowess-audit",
    "prowess-tools",
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

/// The exit codes of cargo-mutants for a complete run: no mutant is left, some are missed, some
/// take too long.
const COMPLETE: [i32; 3] = [0, 2, 3];

/// The mutants of one crate, by their result. Each is a line such as
/// `src/call.rs:52:9: replace Call::new with ()`.
struct Results {
    name: String,
    caught: usize,
    timed_out: usize,
    unviable: usize,
    missed: Vec<String>,
}

/// Changes each crate in every way that cargo-mutants can think of, and runs the crate's tests for
/// each. Fails if a change is missed. The changes that no test can catch are listed, with reasons,
/// in `.cargo/mutants.toml`.
pub(crate) fn run(crates: &[&str]) -> Result<(), Failure> {
    check_installed()?;
    let crates = if crates.is_empty() { &CRATES[..] } else { crates };
    let results: Vec<Results> = crates.iter().map(|name| mutate(name)).collect::<Result<_, _>>()?;
    println!(
        "{:<20} {:>7} {:>7} {:>9} {:>8}",
        "crate", "caught", "missed", "timed out", "unviable"
    );
    for crate_results in &results {
        let Results { name, caught, timed_out, unviable, missed } = crate_results;
        println!("{name:<20} {caught:>7} {:>7} {timed_out:>9} {unviable:>8}", missed.len());
    }
    let missed: Vec<_> = results.iter().flat_map(|results| &results.missed).collect();
    for mutant in &missed {
        println!("missed: {mutant}");
    }
    match missed.len() {
        0 => Ok(()),
        count => Err(Failure(format!("{count} mutants are missed; add a test, or a reason"))),
    }
}

fn check_installed() -> Result<(), Failure> {
    let found = output(Command::new("cargo").args(["mutants", "--version"]));
    if found.is_ok_and(|found| found.status.success()) {
        return Ok(());
    }
    let install = "`cargo install cargo-mutants --locked`";
    Err(Failure(format!("cargo-mutants is not installed; install it with {install}")))
}

/// Runs cargo-mutants on a copy of the workspace. All runs share one build of the dependencies.
fn mutate(name: &str) -> Result<Results, Failure> {
    let directory = root().join("target/mutants");
    let results = directory.join(name);
    fs::create_dir_all(&results)?;
    let mut command = Command::new("cargo");
    command.args(["mutants", "--package", name, "--output"]).arg(&results);
    for tested in [name].iter().chain(users(name)) {
        command.args(["--test-package", tested]);
    }
    command.env("CARGO_TARGET_DIR", directory.join("build")).current_dir(root());
    eprintln!("$ cargo mutants --package {name}");
    let status = command.status()?;
    if !status.code().is_some_and(|code| COMPLETE.contains(&code)) {
        return Err(Failure(format!("`cargo mutants --package {name}` failed: {status}")));
    }
    read(name, &results.join("mutants.out"))
}

fn read(name: &str, directory: &Path) -> Result<Results, Failure> {
    let lines = |list: &str| -> Result<Vec<String>, Failure> {
        let path: PathBuf = directory.join(list);
        Ok(fs::read_to_string(path)?.lines().map(str::to_owned).collect())
    };
    Ok(Results {
        name: name.to_owned(),
        caught: lines("caught.txt")?.len(),
        timed_out: lines("timeout.txt")?.len(),
        unviable: lines("unviable.txt")?.len(),
        missed: lines("missed.txt")?,
    })
}
