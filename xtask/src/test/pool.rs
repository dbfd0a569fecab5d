//! Runs programs, a few at a time, each with its output in one piece.

use std::io::{Read as _, Seek as _};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::process::ended_within;

pub(super) struct Job {
    pub(super) name: String,
    pub(super) command: Command,
}

impl Job {
    /// Returns whether its tests use up what belongs to all processes, so that none may run beside
    /// them.
    fn is_alone(&self) -> bool {
        self.name.ends_with(" alone")
    }
}

pub(super) struct Finished {
    /// Standard output and standard error, in the order in which they were written.
    pub(super) output: String,
    pub(super) is_success: bool,
}

/// Runs all jobs to their end, as many at once as there are processors, in this order, and those of
/// `tests/alone` afterwards, one by one. Reports each when it has ended, one at a time. One that
/// takes longer than the limit is ended, and has failed.
pub(super) fn run(jobs: Vec<Job>, limit: Duration, mut report: impl FnMut(&str, &Finished) + Send) {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let (alone, others) = jobs.into_iter().partition(Job::is_alone);
    run_at_once(others, limit, workers, &mut report);
    run_at_once(alone, limit, 1, &mut report);
}

fn run_at_once(
    jobs: Vec<Job>,
    limit: Duration,
    workers: usize,
    report: impl FnMut(&str, &Finished) + Send,
) {
    let next = AtomicUsize::new(0);
    let jobs: Vec<Mutex<Job>> = jobs.into_iter().map(Mutex::new).collect();
    let report = Mutex::new(report);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut job = job.lock().expect("only one thread takes a job");
                    let finished = finish(&mut job.command, limit);
                    let mut report = report.lock().expect("reporting does not panic");
                    report(&job.name, &finished);
                }
            });
        }
    });
}

/// Runs a program to its end. One that does not start is a failure with the reason as its output.
fn finish(command: &mut Command, limit: Duration) -> Finished {
    match output(command, limit) {
        Ok((output, is_success)) => {
            let mut output = String::from_utf8_lossy(&output).into_owned();
            if is_success.is_none() {
                output.push_str(&format!("\nended after {} s: it hangs\n", limit.as_secs()));
            }
            Finished { output, is_success: is_success == Some(true) }
        }
        Err(error) => Finished { output: format!("{error}\n"), is_success: false },
    }
}

/// Returns the output by way of a file: a pipe would stay open as long as a process that a test
/// left behind. With it comes whether the program succeeded, unless it had to be ended.
fn output(command: &mut Command, limit: Duration) -> std::io::Result<(Vec<u8>, Option<bool>)> {
    let mut file = tempfile::tempfile()?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file.try_clone()?);
    let status = ended_within(command, limit)?;
    let mut output = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut output)?;
    Ok((output, status.map(|status| status.success())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn shell(script: &str) -> Job {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Job { name: script.to_owned(), command }
    }

    #[test]
    fn every_job_runs_and_keeps_its_output_in_one_piece() {
        let scripts: Vec<_> =
            (0..9).map(|number| format!("echo {number}; echo {number} >&2")).collect();
        let mut seen = Vec::new();
        run(scripts.iter().map(|script| shell(script)).collect(), LONG, |_, finished| {
            assert!(finished.is_success, "{}", finished.output);
            seen.push(finished.output.clone());
        });
        seen.sort();
        let expected: Vec<_> = (0..9).map(|number| format!("{number}\n{number}\n")).collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn jobs_that_run_alone_come_last() {
        let mut seen = Vec::new();
        run(
            vec![shell("echo alone"), shell("true"), shell(": alone"), shell("true")],
            LONG,
            |name, _| {
                seen.push(name.to_owned());
            },
        );
        assert_eq!(seen, ["true", "true", "echo alone", ": alone"]);
    }

    #[test]
    fn failed_job_does_not_stop_the_others() {
        let missing = Job { name: "missing".into(), command: Command::new("/no/such/program") };
        let jobs = vec![shell("exit 3"), missing, shell("true")];
        let mut successes = 0;
        let mut failures = 0;
        run(
            jobs,
            LONG,
            |_, finished| if finished.is_success { successes += 1 } else { failures += 1 },
        );
        assert_eq!((successes, failures), (1, 2));
    }

    #[test]
    fn job_that_hangs_has_failed() {
        run(vec![shell("sleep 1000")], Duration::ZERO, |_, finished| {
            assert!(!finished.is_success);
            assert_eq!(finished.output, "\nended after 0 s: it hangs\n");
        });
    }
}
