//! How long things take, and counts that are the same on a busy machine.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{Failure, built, cargo, output};

/// Two sizes: their difference has nothing of what a process needs to begin and to end.
const SIZES: [u64; 2] = [100, 1_000];

/// Prints the times of every work beside its floor.
pub(crate) fn run(arguments: &[&str]) -> Result<(), Failure> {
    // `ratios` starts the others, so all of them are built.
    cargo(["build", "--release", "--package", "benches"])?;
    let run = ["run", "--release", "--package", "benches", "--bin", "ratios", "--"];
    cargo(run.iter().chain(arguments))
}

/// Prints how many system calls and instructions discovery takes for each further skill.
pub(crate) fn count() -> Result<(), Failure> {
    cargo(["build", "--release", "--package", "benches", "--bin", "once"])?;
    let once = built("release", "once")?;
    let mut calls = [0; 2];
    let mut instructions = [0; 2];
    for (at, size) in SIZES.into_iter().enumerate() {
        let directory = tempfile::tempdir()?;
        let corpus = directory.path().join("skills");
        std::fs::create_dir(&corpus)?;
        checked(Command::new(&once).arg("generate").arg(&corpus).arg(size.to_string()))?;
        calls[at] = system_calls(&once, &corpus, directory.path().join("calls"))?;
        instructions[at] = user_instructions(&once, &corpus)?;
    }
    let [calls, instructions] = [calls, instructions].map(each);
    println!("system calls a skill: {calls:.2}\nuser instructions a skill: {instructions:.0}");
    Ok(())
}

/// What each skill beyond the smaller size adds.
fn each([small, large]: [u64; 2]) -> f64 {
    let [few, many] = SIZES;
    (large as f64 - small as f64) / (many - few) as f64
}

fn system_calls(once: &Path, corpus: &Path, log: PathBuf) -> Result<u64, Failure> {
    let mut strace = tool("strace")?;
    checked(strace.arg("-f").arg("-o").arg(&log).arg(once).arg("discover").arg(corpus))?;
    // One line for each call; those of signals and of the end begin otherwise.
    let is_call = |line: &&str| line.contains('(') && !line.contains("<unfinished");
    Ok(std::fs::read_to_string(log)?.lines().filter(is_call).count() as u64)
}

/// Valgrind knows no `openat2`, so this counts the way by hand, which is a little longer.
fn user_instructions(once: &Path, corpus: &Path) -> Result<u64, Failure> {
    let mut valgrind = tool("valgrind")?;
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    let said = checked(valgrind.arg(once).arg("discover").arg(corpus))?;
    let total = said.lines().find_map(|line| line.split_once("Collected :"));
    let total = total.and_then(|(_, total)| total.trim().parse().ok());
    total.ok_or_else(|| Failure(format!("valgrind gave no count: {said}")))
}

/// A program that is not part of a Rust installation.
fn tool(name: &str) -> Result<Command, Failure> {
    match Command::new(name).arg("--version").output() {
        Ok(_) => Ok(Command::new(name)),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(Failure(format!(
            "`{name}` is not installed; install it with your system's package manager and count again"
        ))),
        Err(error) => Err(Failure(format!("cannot start `{name}`: {error}"))),
    }
}

/// Runs a program that must succeed; gives what it said beside its output.
fn checked(command: &mut Command) -> Result<String, Failure> {
    let ended = output(command)?;
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    if ended.status.success() { Ok(said) } else { Err(Failure(format!("{command:?}: {said}"))) }
}
