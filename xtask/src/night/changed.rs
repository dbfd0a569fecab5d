//! `cargo xtask changed`: the steps of the night whose parts have changed within a day, as far as
//! the time allows.

use std::process::Command;
use std::time::{Duration, Instant};

use super::steps::{Step, When, steps};
use super::{Verdict, failure, result, table};
use crate::process::{Failure, succeed};

/// The time that all steps may take together, if the argument names none.
const SECONDS: u64 = 600;

/// Runs the steps of what differs from the newest commit that is older than a day, the cheapest
/// first, and names those that the night is left.
pub(crate) fn run(arguments: &[&str]) -> Result<(), Failure> {
    let (seconds, is_dry) = options(arguments)?;
    let base = base()?;
    let paths = changed_paths(base.as_deref())?;
    let steps = steps(&crate::root())?;
    let plan = plan(&steps, &paths, seconds);
    let since = base.as_deref().map_or("the first commit", |base| &base[..base.len().min(12)]);
    println!("{} files differ from {since}; {} s are left", paths.len(), seconds);
    for step in &plan.now {
        println!("  now           {:<28} about {} s", step.name, step.seconds);
    }
    for step in &plan.later {
        println!("  at night      {:<28} about {} s", step.name, step.seconds);
    }
    for (step, program) in &plan.impossible {
        println!("  at night      {:<28} `{program}` is not installed", step.name);
    }
    if is_dry {
        return Ok(());
    }
    // The times are estimates, so all together may take half as long again, and no longer.
    let end = Instant::now() + Duration::from_secs(seconds + seconds / 2);
    let rest = || end.saturating_duration_since(Instant::now());
    let results: Vec<_> = plan.now.into_iter().map(|step| result(step, rest())).collect();
    if !results.is_empty() {
        print!("\n{}", table(&results));
    }
    // The night has those whose time was over.
    let ended: Vec<_> = results.into_iter().filter(|it| it.verdict != Verdict::Late).collect();
    failure(&ended)
}

/// Reads the seconds, and whether to print only what would run.
fn options(arguments: &[&str]) -> Result<(u64, bool), Failure> {
    let usage = || Failure("`changed` takes `--seconds N` and `--dry-run`".to_owned());
    match arguments {
        [] => Ok((SECONDS, false)),
        ["--dry-run", rest @ ..] => options(rest).map(|(seconds, _)| (seconds, true)),
        ["--seconds", seconds, rest @ ..] => {
            let seconds = seconds.parse().map_err(|_| usage())?;
            options(rest).map(|(_, is_dry)| (seconds, is_dry))
        }
        _ => Err(usage()),
    }
}

/// Returns the newest commit that is a day older than the last one, if there is one.
fn base() -> Result<Option<String>, Failure> {
    let last: u64 = git(&["show", "-s", "--format=%ct", "HEAD"])?.trim().parse()?;
    let before = format!("--before={}", last.saturating_sub(24 * 60 * 60));
    let found = git(&["rev-list", "-1", &before, "HEAD"])?;
    let commit = found.trim().to_owned();
    Ok((!commit.is_empty()).then_some(commit))
}

/// Returns the paths that differ from a commit in the working tree, or all paths.
fn changed_paths(base: Option<&str>) -> Result<Vec<String>, Failure> {
    let found = match base {
        Some(base) => git(&["diff", "--name-only", base])?,
        None => git(&["ls-files"])?,
    };
    Ok(found.lines().map(str::to_owned).collect())
}

fn git(arguments: &[&str]) -> Result<String, Failure> {
    let mut command = Command::new("git");
    // In a container, the files may belong to another user.
    command.args(["-c", "safe.directory=*"]).args(arguments).current_dir(crate::root());
    Ok(String::from_utf8_lossy(&succeed(&mut command)?).into_owned())
}

/// Which of the steps whose parts have changed run now.
#[derive(Debug, Default)]
struct Plan<'s> {
    /// The cheapest first.
    now: Vec<&'s Step>,
    /// Those for which the time does not suffice.
    later: Vec<&'s Step>,
    /// Those that need a program that is not installed.
    impossible: Vec<(&'s Step, &'s str)>,
}

/// Plans the steps for changed paths, within a number of seconds.
fn plan<'s>(steps: &'s [Step], paths: &[String], seconds: u64) -> Plan<'s> {
    let is_touched = |step: &&Step| {
        let mut guards = step.guards.iter();
        step.when != When::Asked
            && guards.any(|guard| paths.iter().any(|path| path.starts_with(guard)))
    };
    let mut touched: Vec<_> = steps.iter().filter(is_touched).collect();
    touched.sort_by_key(|step| step.seconds);
    let mut plan = Plan::default();
    let mut left = seconds;
    for step in touched {
        if let Some(program) = step.missing_program() {
            plan.impossible.push((step, program));
        } else if step.seconds <= left {
            left -= step.seconds;
            plan.now.push(step);
        } else {
            plan.later.push(step);
        }
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::super::steps::read;
    use super::*;

    fn step(name: &str, seconds: u64, guard: &str) -> Step {
        let text = format!("[[step]]\nname = '{name}'\nseconds = {seconds}\nguards = ['{guard}']");
        read(&text).expect("it is TOML").remove(0)
    }

    fn check(steps: &[Step], paths: &[&str], seconds: u64, now: &[&str], later: &[&str]) {
        let paths: Vec<_> = paths.iter().map(ToString::to_string).collect();
        let plan = plan(steps, &paths, seconds);
        let names =
            |steps: &[&Step]| steps.iter().map(|step| step.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&plan.now), now, "now, for {paths:?} in {seconds} s");
        assert_eq!(names(&plan.later), later, "later, for {paths:?} in {seconds} s");
    }

    #[test]
    fn changed_parts_run_the_cheapest_steps_first() {
        let steps = [
            step("slow", 300, "crates/a/"),
            step("quick", 20, "crates/a/"),
            step("b", 30, "crates/b/"),
        ];
        check(&steps, &["crates/a/src/lib.rs"], 400, &["quick", "slow"], &[]);
        check(&steps, &["crates/a/src/lib.rs"], 310, &["quick"], &["slow"]);
        check(&steps, &["crates/a/x", "crates/b/y"], 50, &["quick", "b"], &["slow"]);
        check(&steps, &["crates/ab/x", "README.md"], 400, &[], &[]);
    }

    #[test]
    fn step_that_is_asked_for_never_runs_by_itself() {
        let mut steps = [step("mutants", 1, "crates/a/")];
        steps[0].when = When::Asked;
        check(&steps, &["crates/a/x"], 100, &[], &[]);
    }

    #[test]
    fn options_are_read() {
        let read = |arguments: &[&str]| options(arguments).ok();
        assert_eq!(read(&["--seconds", "9", "--dry-run"]), Some((9, true)));
        assert_eq!(read(&[]), Some((SECONDS, false)));
        assert_eq!(read(&["--seconds"]), None);
        assert_eq!(read(&["9"]), None);
    }
}
