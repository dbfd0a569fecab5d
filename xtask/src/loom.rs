//! `cargo xtask loom`: every order of the registry's threads, by a model checker.

use std::process::Command;

use crate::process::{Failure, artifacts, run};

/// Builds the registry's unit tests with the model checker's locks and runs those that use it.
///
/// The flag goes to that crate alone, so everything below it is shared with the other tests.
pub(crate) fn check() -> Result<(), Failure> {
    let build = ["rustc", "--package", "prowess-registry", "--lib", "--profile", "test"];
    let build = [&build[..], &["--message-format", "json", "--", "--cfg", "loom"]].concat();
    let tests = artifacts(&build)?;
    let program = tests.iter().find_map(|artifact| artifact["executable"].as_str());
    let program = program.ok_or_else(|| Failure("cargo built no tests of the registry".into()))?;
    run(Command::new(program).args(["loom_tests::", "--test-threads", "2"]))
}
