//! `cargo xtask soak`: programs that run for as long as rare faults need.

use std::process::Command;

use crate::process::{Failure, build_optimized, cargo_with, run};
use crate::selection::Selection;

/// The tests that run with larger counts, by package.
pub(super) const READERS_AND_WRITERS: [(&str, &str); 2] = [
    ("prowess-registry", "readers_see_consistent_catalogs"),
    ("prowess-audit", "eight_processes_write_one_chain"),
];

/// The test of an update that is killed.
pub(super) const KILLED: &str = "night::install_crashes::killed_update_leaves_one_of_the_versions";

/// The tests whose writers lose the power, and their packages.
pub(super) const POWER_CUT: &str = "power_cut";
pub(super) const CUT: [&str; 3] = ["prowess-state", "prowess-audit", "prowess-cli"];

pub(crate) fn soak(arguments: &[&str]) -> Result<(), Failure> {
    match arguments {
        ["--short"] => short(),
        ["--scripts"] => bad_scripts("5000"),
        ["--scripts", count] => bad_scripts(count),
        ["--messages", counts @ ..] => broken_messages(counts),
        ["--catalog"] => many_skills("1000000"),
        ["--catalog", skills] => many_skills(skills),
        ["--updates"] => killed_updates(),
        ["--power-cuts"] => power_cuts(),
        reloads => long(reloads),
    }
}

/// Runs a small part for each change, beside the tests of concurrent readers and writers.
fn short() -> Result<(), Failure> {
    let program = |name: &str| Selection::Tested.program(name).map(Command::new);
    run(&mut program("examples/simulate")?)?;
    run(program("examples/bad_scripts")?.arg("50"))
}

/// Runs everything optimized where it counts on speed: without it most of the time would go into
/// hashing and encoding.
fn long(reloads: &[&str]) -> Result<(), Failure> {
    let mut targets = vec!["--package", "benches", "--package", "prowess-plugin-host"];
    targets.extend(["--features", "benches/mcp", "--bin", "prowess-plugin-runner"]);
    targets.extend(["--bin", "soak", "--bin", "messages"]);
    let built = build_optimized(&targets)?;
    run(Command::new(built.join("soak")).args(reloads))?;
    let counts = [("PROWESS_TEST_SWAPS", "10000"), ("PROWESS_TEST_EVENTS", "5000")];
    for (package, test) in READERS_AND_WRITERS {
        let line = ["test", "--release", "--package", package, "--test", "it", "--", test];
        cargo_with(&counts, line)?;
    }
    // The step `messages` sends ten times as many.
    run(Command::new(built.join("messages")).args(["100000", "10000"]))?;
    // The simulation runs in less time than an optimized build of it takes.
    run(&mut Command::new(Selection::Tested.program("examples/simulate")?))?;
    bad_scripts("400")
}

fn broken_messages(counts: &[&str]) -> Result<(), Failure> {
    let targets = ["--package", "benches", "--features", "benches/mcp", "--bin", "messages"];
    run(Command::new(build_optimized(&targets)?.join("messages")).args(counts))
}

/// Runs scripts that try to outlive their time and to use up the machine.
fn bad_scripts(count: &str) -> Result<(), Failure> {
    run(Command::new(Selection::Tested.program("examples/bad_scripts")?).arg(count))
}

/// Publishes this many skills in one catalog file, and measures a host that uses it.
fn many_skills(skills: &str) -> Result<(), Failure> {
    let test = ["test", "--release", "--package", "prowess-source-catalog", "--test", "it", "--"];
    let filter = ["--nocapture", "night::"];
    cargo_with(&[("PROWESS_TEST_SKILLS", skills)], test.iter().chain(&filter))
}

/// Kills an update at every system call. The tests kill it at those that change files.
fn killed_updates() -> Result<(), Failure> {
    let test = ["test", "--package", "prowess-cli", "--test", "it", "--", "--nocapture"];
    cargo_with(&[("PROWESS_TEST_EVERY_CALL", "1")], test.iter().chain(&[KILLED]))
}

/// Cuts the power in the tests of what is written, with every part of what is not synced.
fn power_cuts() -> Result<(), Failure> {
    for package in CUT {
        let test = ["test", "--package", package, "--test", "it", "--", "--nocapture", POWER_CUT];
        cargo_with(&[("PROWESS_TEST_EVERY_PART", "1")], test)?;
    }
    Ok(())
}
