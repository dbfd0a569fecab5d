//! Measures the start of a script: in the sandbox, and in the shell.

use std::process::Command;

use crate::process::{Failure, built, cargo, run};

/// Prints both tables.
pub(crate) fn measure() -> Result<(), Failure> {
    let sandbox = ["--package", "prowess-sandbox", "--bin", "prowess-sandbox-stage"];
    cargo(["build", "--release"].iter().chain(&sandbox).chain(&["--example", "start_cost"]))?;
    let shell =
        ["--package", "prowess-shell", "--bin", "prowess-shell-worker", "--example", "run_cost"];
    cargo(["build", "--release"].iter().chain(&shell))?;
    let mut start_cost = Command::new(built("release", "examples/start_cost")?);
    run(start_cost.arg(built("release", "prowess-sandbox-stage")?))?;
    println!();
    let mut run_cost = Command::new(built("release", "examples/run_cost")?);
    run(run_cost.arg(built("release", "prowess-shell-worker")?))
}
