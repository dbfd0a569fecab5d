//! `cargo xtask corpus`: measurements on a folder with the skills of other people, by one build.

mod account;
mod conformance;
mod findings;
mod search;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::process::{Failure, built, fail_for, output, run as run_program};
use crate::selection::Selection;

/// A measurement by its name, of a folder with these built programs.
type Measurement = fn(&Path, &Programs) -> Result<(), Failure>;

const MEASUREMENTS: [(&str, Measurement); 6] = [
    ("account", account::run),
    ("search", search::run),
    ("findings", findings::run),
    ("recall", recall),
    ("reach", reach),
    ("conformance", conformance::run),
];

/// The programs that are measured.
pub(crate) struct Programs {
    pub(crate) prowess: PathBuf,
    recall: PathBuf,
    reach: PathBuf,
}

/// Runs the measurements that the arguments name, or all, and fails at the end if one fails.
pub(crate) fn run(directory: &str, names: &[&str]) -> Result<(), Failure> {
    let missing = |error| Failure(format!("cannot read `{directory}`: {error}"));
    let directory = Path::new(directory).canonicalize().map_err(missing)?;
    let is_known = |name: &&&str| MEASUREMENTS.iter().any(|(known, _)| known == *name);
    if let Some(unknown) = names.iter().find(|name| !is_known(name)) {
        let known = MEASUREMENTS.map(|(name, _)| name).join(", ");
        return Err(Failure(format!("`{unknown}` is none of the measurements {known}")));
    }
    // The verdicts of the reference tool are a feature, which is small.
    let prowess = Selection::Tested.program_with("prowess-cli/reference", "prowess")?;
    let programs = Programs {
        prowess,
        recall: built("debug", "recall")?,
        reach: built("debug", "examples/reach")?,
    };
    let mut failures = Vec::new();
    for (name, measure) in MEASUREMENTS {
        if names.is_empty() || names.contains(&name) {
            println!("\n{name}");
            if let Err(failure) = measure(&directory, &programs) {
                eprintln!("error: {failure}");
                failures.push(name);
            }
        }
    }
    fail_for("measurements failed", &failures)
}

/// Runs a command of the program and reads the JSON that it prints, whatever its exit code.
fn json_of(command: &mut Command) -> Result<Value, Failure> {
    let printed = output(command)?;
    serde_json::from_slice(&printed.stdout).map_err(|error| {
        let errors = String::from_utf8_lossy(&printed.stderr);
        Failure(format!("{command:?} printed no JSON ({error}): {errors}"))
    })
}

/// Returns the text of a key, which is empty if there is none.
fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// Measures how many needs a scripted model meets with the skills of a folder.
fn recall(directory: &Path, programs: &Programs) -> Result<(), Failure> {
    run_program(
        Command::new(&programs.recall).arg(directory).arg(crate::root().join(search::NEEDS)),
    )
}

/// Reaches each skill of a folder over the Model Context Protocol.
fn reach(directory: &Path, programs: &Programs) -> Result<(), Failure> {
    let server = serde_json::json!([programs.prowess, "--root", directory, "serve", "--quiet"]);
    run_program(Command::new(&programs.reach).arg(server.to_string()))
}
