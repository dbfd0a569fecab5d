//! `cargo xtask test`: builds the tests once, runs all of them, and reports every failure.

pub(crate) mod executables;
mod outcome;
mod pool;

use std::time::Duration;

use crate::checks::tidy;
use crate::process::{Failure, built, cargo, cargo_command};
use crate::selection::{Selection, TEST_THREADS};
use executables::Executable;
use outcome::Outcome;

/// The modules of tests that need more than Rust and a C compiler, or that take long.
const NIGHT: &str = "night::";

/// Which tests of the executables run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tests {
    /// All but those of the night.
    Usual,
    /// Only those of the night.
    Night,
    All,
}

impl Tests {
    /// Returns how long one executable may run. What takes longer hangs, and would take the time of
    /// all others.
    fn limit(self) -> Duration {
        Duration::from_secs(if self == Self::Usual { 600 } else { 3600 })
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Options<'a> {
    selection: Selection,
    tests: Tests,
    /// All if there is none.
    packages: Vec<&'a str>,
}

/// Runs the tests that the arguments select; without any, also `tidy`.
pub(crate) fn run(arguments: &[&str]) -> Result<(), Failure> {
    let options = options(arguments)?;
    if arguments.is_empty() {
        tidy::run()?;
    }
    let mut jobs = Vec::new();
    if options.tests != Tests::Night {
        jobs.extend(doc_tests(&options));
    }
    for executable in executables::build(options.selection, &options.packages)? {
        jobs.push(job(&executable, options.tests)?);
    }
    if options.selection == Selection::Tested {
        // Built beside the tests, the program has the features that they turn on in its libraries.
        // They start the one that a user has.
        cargo(["build", "--package", "prowess-cli"])?;
    }
    let mut total = Outcome::default();
    pool::run(jobs, options.tests.limit(), |name, finished| {
        println!("\n     Running {name}\n{}", finished.output.trim_start_matches('\n'));
        total.add(name, finished);
    });
    println!("{}", total.summary());
    if options.tests == Tests::Usual && total.left_out > 0 {
        println!(
            "{} tests in modules `{NIGHT}`, the package `prowess-shell` and the optional features are left to \
             `cargo xtask nightly`",
            total.left_out
        );
    }
    total.result()
}

fn options<'a>(arguments: &[&'a str]) -> Result<Options<'a>, Failure> {
    let mut options =
        Options { selection: Selection::Tested, tests: Tests::Usual, packages: Vec::new() };
    for argument in arguments {
        match *argument {
            "--night" => options.tests = Tests::Night,
            "--full" | "--http" | "--shell" => {
                options.selection = match *argument {
                    "--http" => Selection::Http,
                    "--shell" => Selection::Shell,
                    _ => Selection::Full,
                };
                options.tests = Tests::All;
            }
            other if other.starts_with('-') => {
                return Err(Failure(format!("`test` has no option `{other}`")));
            }
            package => options.packages.push(package),
        }
    }
    Ok(options)
}

fn job(executable: &Executable, tests: Tests) -> Result<pool::Job, Failure> {
    let mut command = executable.command();
    // Tests start the programs and open the plugins, which are built by now.
    command.env("PROWESS_TEST_PLUGINS", built("debug", "")?);
    command.env("RUST_TEST_THREADS", TEST_THREADS);
    match tests {
        Tests::Usual => command.args(["--skip", NIGHT]),
        Tests::Night => command.arg(NIGHT),
        Tests::All => &mut command,
    };
    Ok(pool::Job { name: executable.name(), command })
}

/// The examples in the documentation of libraries; `None` if only programs are selected.
fn doc_tests(options: &Options<'_>) -> Option<pool::Job> {
    let programs = ["prowess-cli", "xtask"];
    let libraries = options.packages.iter().filter(|package| !programs.contains(package));
    let mut line = vec!["test", "--quiet", "--doc", "--no-fail-fast"];
    line.extend(libraries.flat_map(|package| ["--package", package]));
    if !options.packages.is_empty() && !line.contains(&"--package") {
        return None;
    }
    let line = match options.packages.as_slice() {
        [] => options.selection.cargo(&line),
        _ => line.iter().map(ToString::to_string).collect(),
    };
    let command = cargo_command(line);
    Some(pool::Job { name: "the examples of the documentation".into(), command })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_select_tests_and_packages() {
        let check = |arguments: &[&str]| {
            options(arguments).map(|it| (it.selection, it.tests, it.packages.len())).ok()
        };
        assert_eq!(check(&[]), Some((Selection::Tested, Tests::Usual, 0)));
        assert_eq!(check(&["--night", "prowess-gate"]), Some((Selection::Tested, Tests::Night, 1)));
        assert_eq!(check(&["--full"]), Some((Selection::Full, Tests::All, 0)));
        assert_eq!(check(&["--http", "prowess-mcp"]), Some((Selection::Http, Tests::All, 1)));
        assert_eq!(check(&["--ful"]), None, "a wrong option is not the name of a package");
    }
}
