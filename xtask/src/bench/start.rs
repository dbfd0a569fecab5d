//! Measures the start of a script: in the sandbox beside other sandboxes, and in the shell.

use std::process::Command;

use crate::install::python::environment;
use crate::process::{Failure, built, cargo, run};
use crate::root;

/// The version of `sandlock` that is measured.
const SANDLOCK: &str = "sandlock==0.9.0";

/// Prints both tables. A sandbox that cannot be installed here has no row, and its reason is
/// printed.
pub(crate) fn measure() -> Result<(), Failure> {
    let sandbox = ["--package", "prowess-sandbox", "--bin", "prowess-sandbox-stage"];
    cargo(["build", "--release"].iter().chain(&sandbox).chain(&["--example", "start_cost"]))?;
    let shell = ["--package", "prowess-shell", "--example", "run_cost"];
    cargo(["build", "--release"].iter().chain(&shell))?;
    let mut start_cost = Command::new(built("release", "examples/start_cost")?);
    start_cost.arg(built("release", "prowess-sandbox-stage")?);
    match environment(&root().join("target/sandlock"), &[SANDLOCK]) {
        Ok(python) => drop(start_cost.arg(python)),
        Err(Failure(reason)) => eprintln!("`sandlock` is not measured: {reason}"),
    }
    run(&mut start_cost)?;
    println!();
    run(&mut Command::new(built("release", "examples/run_cost")?))
}
