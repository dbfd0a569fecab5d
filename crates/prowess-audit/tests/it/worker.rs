//! A writer in a process of its own, which a test can kill or refuse system calls.

use std::io::{Write as _, stdout};
use std::path::Path;
use std::process::{Command, Output};
use std::{env, fs};

use prowess_audit::{LogOptions, verify};
use prowess_core::AuditSink;

use crate::fixture::{Place, done, intent};

const PATH: &str = "PROWESS_AUDIT_TEST_LOG";

/// The number of calls of each writer.
pub(crate) const EVENTS: &str = "PROWESS_TEST_EVENTS";

/// The number of calls of a worker.
pub(crate) const CALLS: u64 = 6;

/// Is the worker if the variable is set: reports each call on standard output.
#[test]
fn is_a_worker_or_writes_a_whole_log() {
    let own = Place::new();
    let path = env::var_os(PATH);
    let place = match &path {
        Some(path) => Place { path: path.into(), ..own },
        None => own,
    };
    let calls = env::var(EVENTS).ok().filter(|_| path.is_some());
    let calls = calls.map_or(CALLS, |calls| calls.parse().expect("a number"));
    let mut reports = Vec::new();
    // Each file has few entries, so that system calls of the rotation are killed too.
    match place.try_open(LogOptions { max_bytes: 2_000, ..LogOptions::default() }) {
        Ok(log) => {
            for call in 1..=calls {
                let result = log.intend(&intent(call));
                reports.push(match &result {
                    Ok(()) => format!("stored {call}"),
                    Err(error) => format!("failed {call}: {error}"),
                });
                if path.is_some() {
                    report(reports.last().expect("it was just added"));
                }
                if result.is_ok() {
                    log.record(&done(call));
                }
            }
        }
        Err(error) => report(&format!("closed: {error}")),
    }
    if path.is_none() {
        assert_eq!(reports.len() as u64, CALLS, "{reports:?}");
        assert_eq!(verify(&place.path).expect("nothing was changed").entries, 2 * CALLS);
    }
}

fn report(line: &str) {
    // In one system call, and not through the test's capture.
    stdout().write_all(format!("\n> {line}\n").as_bytes()).expect("the test reads it");
    stdout().flush().expect("the test reads it");
}

/// The numbers of the calls that a worker reported as stored.
pub(crate) fn stored(reports: &[String]) -> Vec<u64> {
    let numbers = reports.iter().filter_map(|report| report.strip_prefix("stored "));
    numbers.map(|number| number.parse().expect("a worker reports numbers")).collect()
}

/// Returns the text of all files of a log.
pub(crate) fn whole(place: &Place) -> String {
    let is_data = |name: &String| !name.ends_with(".lock");
    let mut names: Vec<_> = place.names().into_iter().filter(is_data).collect();
    // The current file is the last one.
    names.rotate_left(1);
    let read = |name| fs::read_to_string(place.directory.path().join(name));
    names.into_iter().map(|name| read(name).expect("it is text")).collect()
}

#[test]
fn part_of_a_line_is_removed() {
    let place = Place::new();
    let reports = run_with_small_files(&place.path);
    assert!(reports.iter().any(|report| report.contains("File too large")), "{reports:?}");
    let verified = verify(&place.path).expect("what was written is whole");
    assert_eq!(verified.torn_bytes, 0, "the file ends with a whole line");
    assert!(verified.entries > 0);
}

/// Runs a worker on a log, with the faults that `strace -e inject` understands, if any.
pub(crate) fn run(log: &Path, faults: &[String]) -> Vec<String> {
    let worker = env::current_exe().expect("the test has a file");
    match faults {
        [] => run_command(Command::new(worker), log),
        faults => run_command(under_strace(&worker, log, faults), log),
    }
}

/// Runs a worker whose files have at most 1,024 bytes (two blocks for `ulimit`), so that one write
/// is cut.
pub(crate) fn run_with_small_files(log: &Path) -> Vec<String> {
    let mut command = Command::new("sh");
    // Without the trap, the signal would end the worker.
    command.args(["-c", r#"trap '' XFSZ; ulimit -f 2; exec "$0" "$@""#]);
    command.arg(env::current_exe().expect("the test has a file"));
    run_command(command, log)
}

/// Returns the command of a worker.
pub(crate) fn command(log: &Path) -> Command {
    as_worker(Command::new(env::current_exe().expect("the test has a file")), log)
}

fn as_worker(mut command: Command, log: &Path) -> Command {
    let test = "worker::is_a_worker_or_writes_a_whole_log";
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(PATH, log);
    command
}

fn run_command(command: Command, log: &Path) -> Vec<String> {
    let mut command = as_worker(command, log);
    let Output { stdout, .. } = command.output().expect("strace is installed");
    let text = String::from_utf8_lossy(&stdout).into_owned();
    let lines = text.lines().filter_map(|line| line.strip_prefix("> ")).map(str::to_owned);
    lines.collect()
}

/// Only system calls on the files of the log are counted.
fn under_strace(worker: &Path, log: &Path, faults: &[String]) -> Command {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null"]);
    command.arg("-P").arg(log).arg("-P").arg(log.parent().expect("it is in a directory"));
    command.arg("-P").arg(format!("{}.lock", log.display()));
    for fault in faults {
        command.arg("-e").arg(format!("inject={fault}"));
    }
    command.arg("--").arg(worker);
    command
}
