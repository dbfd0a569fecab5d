//! `cargo xtask loom`: every order of threads, by a model checker.

use std::process::Command;

use crate::process::{Failure, artifacts, run};

/// The crates with models.
const CRATES: [&str; 3] = ["prowess-registry", "prowess-session", "prowess-audit"];

/// Builds the unit tests of each crate with the model checker's locks and runs those that use it.
///
/// The flag goes to that crate alone, so everything below it is shared with the other tests.
pub(crate) fn check() -> Result<(), Failure> {
    CRATES.iter().try_for_each(|name| check_crate(name))
}

fn check_crate(name: &str) -> Result<(), Failure> {
    let build = ["rustc", "--package", name, "--lib", "--profile", "test"];
    let build = [&build[..], &["--message-format", "json", "--", "--cfg", "loom"]].concat();
    let tests = artifacts(&build)?;
    let program = tests.iter().find_map(|artifact| artifact["executable"].as_str());
    let program = program.ok_or_else(|| Failure(format!("cargo built no tests of {name}")))?;
    run(Command::new(program).args(["loom_tests::", "--test-threads", "2"]))
}
