//! `cargo xtask nightly`: the checks that take longer than a change may wait, or that test other
//! people's programs.

pub(crate) mod book;
pub(crate) mod changed;
pub(crate) mod clients;
pub(crate) mod coverage;
pub(crate) mod dynamic;
pub(crate) mod fuzz;
pub(crate) mod mcp_conformance;
pub(crate) mod model;
pub(crate) mod mutants;
pub(crate) mod oauth;
pub(crate) mod packages;
pub(crate) mod plugins;
pub(crate) mod postgres;
pub(crate) mod remotes;
pub(crate) mod requests;
pub(crate) mod sanitize;
pub(crate) mod soak;
mod steps;
pub(crate) mod uv;
pub(crate) mod web;

use std::process::Command;
use std::time::{Duration, Instant};

use crate::process::{Failure, ended_within, fail_for};
use steps::{Step, When, steps};

/// Runs the steps that the arguments name, or all of the night, and prints a table of the results.
pub(crate) fn run(arguments: &[&str]) -> Result<(), Failure> {
    let steps = steps(&crate::root())?;
    if arguments == ["--list"] {
        print!("{}", list(&steps));
        return Ok(());
    }
    let selected = selected(&steps, arguments)?;
    let results: Vec<_> = selected.into_iter().map(|step| result(step, longest(step))).collect();
    print!("\n{}", table(&results));
    failure(&results)
}

/// Returns the steps that the arguments name: `--only NAME`, as often as wanted.
fn selected<'s>(steps: &'s [Step], arguments: &[&str]) -> Result<Vec<&'s Step>, Failure> {
    if arguments.is_empty() {
        return Ok(steps.iter().filter(|step| step.when == When::Night).collect());
    }
    let mut selected = Vec::new();
    for pair in arguments.chunks(2) {
        let ["--only", name] = pair else {
            let usage = "`nightly` takes `--list`, or `--only NAME` as often as wanted";
            return Err(Failure(usage.into()));
        };
        let step = steps.iter().find(|step| step.name == *name);
        let unknown = || {
            Failure(format!("no step is named `{name}`; `cargo xtask nightly --list` lists them"))
        };
        selected.push(step.ok_or_else(unknown)?);
    }
    Ok(selected)
}

/// Returns how long a step may take. The estimates are of an idle machine that has all it needs.
fn longest(step: &Step) -> Duration {
    Duration::from_secs(900 + 3 * step.seconds)
}

struct StepResult<'s> {
    step: &'s Step,
    seconds: u64,
    verdict: Verdict,
}

#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
    /// This program is not installed.
    Missing(String),
    /// It was ended, because its time was over.
    Late,
}

impl Verdict {
    fn text(&self) -> String {
        match self {
            Self::Passed => "passed".into(),
            Self::Failed => "FAILED".into(),
            Self::Late => "ended: it took too long".into(),
            Self::Missing(program) => format!("FAILED: `{program}` is not installed"),
        }
    }
}

/// Runs a step as a process of its own, so that it cannot stop the others, for at most this long.
fn result(step: &Step, limit: Duration) -> StepResult<'_> {
    println!("\n== {}\n$ cargo xtask {}", step.name, step.command.join(" "));
    let begun = Instant::now();
    let verdict = match step.missing_program() {
        Some(program) => Verdict::Missing(program.to_owned()),
        None => match run_step(step, limit) {
            Ok(verdict) => verdict,
            Err(failure) => {
                eprintln!("error: {failure}");
                Verdict::Failed
            }
        },
    };
    let result = StepResult { step, seconds: begun.elapsed().as_secs(), verdict };
    // The table at the end is lost with a night that is ended.
    println!("{}", row(&result));
    result
}

fn run_step(step: &Step, limit: Duration) -> Result<Verdict, Failure> {
    // A step may build this program again, with other features; its path then leads to nothing.
    let status = ended_within(Command::new("/proc/self/exe").args(&step.command), limit)?;
    Ok(match status {
        Some(status) if status.success() => Verdict::Passed,
        Some(_) => Verdict::Failed,
        None => Verdict::Late,
    })
}

fn table(results: &[StepResult<'_>]) -> String {
    let mut text = format!("{:<28} {:>7}  result\n", "step", "seconds");
    for result in results {
        text.push_str(&format!("{}\n", row(result)));
    }
    text
}

fn row(StepResult { step, seconds, verdict }: &StepResult<'_>) -> String {
    format!("{:<28} {seconds:>7}  {}", step.name, verdict.text())
}

fn failure(results: &[StepResult<'_>]) -> Result<(), Failure> {
    let failed = results.iter().filter(|result| result.verdict != Verdict::Passed);
    let failed: Vec<_> = failed.map(|result| result.step.name.as_str()).collect();
    fail_for("steps failed", &failed)
}

fn list(steps: &[Step]) -> String {
    let heading = |when| match when {
        When::Night => "Each night",
        When::Changed => "\nWhen its crate has changed; at night, `full` has these tests",
        When::Asked => "\nWhen asked for",
    };
    let mut text = String::new();
    for when in [When::Night, When::Changed, When::Asked] {
        text.push_str(&format!("{}\n", heading(when)));
        for step in steps.iter().filter(|step| step.when == when) {
            text.push_str(&format!("  {:<28} {}\n", step.name, step.about));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::tidy::repository::Repository;

    fn step(name: &str, when: When) -> Step {
        let mut steps = steps::read("[[step]]\ncommand = \"true\"\n").expect("it is TOML");
        Step { when, name: name.to_owned(), ..steps.remove(0) }
    }

    #[test]
    fn night_runs_all_but_what_is_asked_for() {
        let steps =
            [step("one", When::Night), step("two", When::Asked), step("three", When::Changed)];
        let names = |arguments: &[&str]| {
            let selected = selected(&steps, arguments).ok()?;
            Some(selected.iter().map(|step| step.name.clone()).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(names(&[]).as_deref(), Some("one"));
        assert_eq!(names(&["--only", "two", "--only", "one"]).as_deref(), Some("two one"));
        assert_eq!(names(&["--only", "four"]), None);
        assert_eq!(names(&["two"]), None, "a name needs `--only`");
    }

    /// Returns the modules below the `tests/it` of a package with each of their functions, as
    /// tests are named.
    fn names(repository: &Repository, package: &str) -> Vec<String> {
        let folder = format!("crates/{package}/tests/it/");
        let files = repository.files.iter();
        let files = files.filter_map(|file| Some((file.path.strip_prefix(&folder)?, &file.text)));
        let files = files.filter(|(path, _)| path.ends_with(".rs"));
        let names = files.flat_map(|(path, text)| {
            let module = path.trim_end_matches(".rs").trim_end_matches("/mod").replace('/', "::");
            let functions = text.lines().filter_map(|line| line.trim().strip_prefix("fn "));
            functions.map(move |line| {
                format!("{module}::{}", line.split(['(', '<']).next().unwrap_or_default())
            })
        });
        names.collect()
    }

    /// A filter that selects nothing passes.
    #[test]
    fn filters_of_steps_select_tests() {
        let repository = Repository::read(&crate::root()).expect("the repository can be read");
        let check = |packages: &[&str], filter: &str| {
            let mut all = packages.iter().flat_map(|package| names(&repository, package));
            assert!(all.any(|name| name.contains(filter)), "no test of {packages:?} is `{filter}`");
        };
        dynamic::MODULES.into_iter().for_each(|filter| check(&dynamic::PACKAGES, filter));
        sanitize::IN_PROCESS.into_iter().for_each(|filter| check(&["prowess-plugin-host"], filter));
        sanitize::UNDER_MIRI.into_iter().for_each(|(package, filter)| check(&[package], filter));
        soak::READERS_AND_WRITERS.into_iter().for_each(|(package, test)| check(&[package], test));
        soak::CUT.into_iter().for_each(|package| check(&[package], soak::POWER_CUT));
        check(&["prowess-cli"], soak::KILLED);
        for package in remotes::PACKAGES {
            check(&[package], remotes::REAL);
        }
    }

    #[test]
    fn step_that_did_not_run_has_not_passed() {
        let one = step("one", When::Night);
        let with = |verdict| StepResult { step: &one, seconds: 3, verdict };
        assert!(failure(&[with(Verdict::Passed)]).is_ok());
        assert!(failure(&[with(Verdict::Late)]).is_err());
        let results = [with(Verdict::Passed), with(Verdict::Missing("strace".to_owned()))];
        let Failure(failure) = failure(&results).expect_err("a program is missing");
        assert_eq!(failure, "steps failed: one");
        let table = table(&results);
        assert!(table.ends_with("      3  FAILED: `strace` is not installed\n"), "{table}");
    }
}
