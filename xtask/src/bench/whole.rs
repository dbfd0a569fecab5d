//! Counts of whole programs on packages with files.

use std::path::Path;
use std::process::Command;

use super::{SIZES, UNTIL_OLD, each, generate, instructions, own_program, system_calls};
use crate::process::Failure;

/// The counted programs: a name, the arguments, and the maximum system calls and user instructions
/// of a skill. The floor takes 11 system calls: four for each of two directories, which it opens,
/// lists to the end and closes, and three for a file.
const PROGRAMS: [(&str, &[&str], [f64; 2]); 2] = [
    ("list", &["list"], [10.9, 23_700.0]),
    ("serve without a request", &["serve"], [10.9, 16_000.0]),
];

/// Prints the counts of each further skill, and returns the names of those that are too many.
pub(super) fn count(once: &Path) -> Result<Vec<&'static str>, Failure> {
    let program = own_program()?;
    let places = [tempfile::tempdir()?, tempfile::tempdir()?];
    let mut trees = Vec::new();
    for (place, size) in places.iter().zip(SIZES) {
        trees.push(generate(once, "packages", place.path(), size)?);
    }
    std::thread::sleep(UNTIL_OLD);
    let mut problems = Vec::new();
    for (name, arguments, most) in PROGRAMS {
        let command = |at: usize| {
            let mut command = Command::new(&program);
            command.args(["--no-config", "--no-cache", "--root"]);
            command.arg(format!("user={}", trees[at].display())).args(arguments);
            command
        };
        let measured = [
            each(|at| system_calls(&command(at), &places[at].path().join(name)))?,
            each(|at| instructions(&command(at)))?,
        ];
        let costs = ["system calls", "user instructions"];
        for ((cost, measured), most) in costs.into_iter().zip(measured).zip(most) {
            println!("{cost} a skill, `prowess {name}`: {measured:.1}, at most {most}");
            problems.extend((measured > most).then_some(cost));
        }
    }
    Ok(problems)
}
