//! Eight threads write events to one log while another process tries to open it, and the chain is
//! checked: `writers [EVENTS]`, by default 100,000 for each thread. `cargo xtask soak` runs it.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a program that reports")]

use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use prowess_audit::{JsonLinesLog, LogError, LogOptions, Redactor, verify};
use prowess_core::{
    AuditEvent, AuditSink, CallIntent, Caller, CorrelationId, Outcome, SessionId, Timestamp,
};
use prowess_testkit::ManualClock;

const WRITERS: u64 = 8;

/// The argument of the second process, before the path of the log.
const SECOND: &str = "--second";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [flag, path] if flag == SECOND => second(Path::new(path)),
        [events] => run(events.parse()?),
        _ => run(100_000),
    }
}

fn open(path: &Path) -> Result<JsonLinesLog, LogError> {
    let clock = Arc::new(ManualClock::default());
    JsonLinesLog::open(path, LogOptions::default(), Redactor::default(), clock)
}

/// Fails if the log can be opened.
fn second(path: &Path) -> Result<(), Box<dyn Error>> {
    match open(path) {
        Err(LogError::InUse(_)) => Ok(()),
        Err(error) => Err(error.into()),
        Ok(_) => Err("two processes have the log open".into()),
    }
}

fn run(events: u64) -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("audit.jsonl");
    let log = open(&path)?;
    let event = event(SessionId::new("talk")?);
    let refused = thread::scope(|scope| {
        let write = || (0..events).for_each(|_| log.record(&event));
        let writers: Vec<_> = (0..WRITERS).map(|_| scope.spawn(write)).collect();
        refusals(&path, || writers.iter().all(ScopedJoinHandle::is_finished))
    })?;
    log.sync()?;
    drop(log);
    let verified = verify(&path)?;
    let expected = WRITERS * events;
    if [verified.entries, verified.head.seq] != [expected, expected] {
        return Err(format!("{} entries, and not {expected}", verified.entries).into());
    }
    let files = verified.files;
    println!("{expected} entries of {WRITERS} writers in {files} files and one chain");
    println!("{refused} other processes were refused meanwhile");
    Ok(())
}

/// Starts other processes one after another until the writers are done; returns their number. The
/// first one starts before they can be.
fn refusals(path: &Path, is_done: impl Fn() -> bool) -> Result<u32, Box<dyn Error>> {
    let mut refused = 0;
    loop {
        let program = std::env::current_exe()?;
        let status = Command::new(program).arg(SECOND).arg(path).status()?;
        if !status.success() {
            return Err("another process was not refused".into());
        }
        refused += 1;
        if is_done() {
            return Ok(refused);
        }
    }
}

fn event(session: SessionId) -> AuditEvent {
    let intent = CallIntent {
        at: Timestamp(1_767_225_600_000),
        call: 1,
        correlation: CorrelationId::of_session(&session),
        session,
        origin: Arc::default(),
        tool: "Read".to_owned(),
        caller: Caller::Model,
        skill: None,
        skills: Vec::new(),
        resource: Some("references/guide.md".to_owned()),
        decision: None,
        generation: 7,
    };
    AuditEvent {
        intent,
        outcome: Outcome::Done,
        error: None,
        sandbox: None,
        isolation: None,
        duration: Duration::from_millis(12),
    }
}
