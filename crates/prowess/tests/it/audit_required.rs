//! A runtime whose audit is required, on a disk that becomes full: nothing runs without its intent.
//!
//! The worker is a process of its own, in which the system limits the size of a file: a write
//! beyond it fails as on a full disk.

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::io::{Write as _, stdout};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use prowess::audit::{JsonLinesLog, LogOptions, Redactor, verify};
use prowess::{Policies, Runtime, SystemClock, ToolCall, ToolResult};
use prowess_testkit::Tree;
use serde_json::{Value, json};

const DIRECTORY: &str = "PROWESS_AUDIT_TEST_DIRECTORY";
const POLICY: &str = "PROWESS_AUDIT_TEST_POLICY";

/// The number of calls of a worker, more than a log of a few kilobytes has room for.
const CALLS: usize = 40;

/// Calls a tool that creates an empty file, which needs no room. Returns the code of each call.
fn call_repeatedly(directory: &Path, policy: &str) -> Vec<String> {
    let clock = Arc::new(SystemClock::default());
    let log = directory.join("audit.jsonl");
    let log = JsonLinesLog::open(log, LogOptions::default(), Redactor::default(), clock);
    let yaml = format!("{{ audit: {{ policy: {policy} }}, gate: {{ ungranted: allow }} }}");
    let runtime = Runtime::builder()
        .policies(Policies::from_yaml(&yaml).expect("the policies are valid"))
        .audit(Arc::new(log.expect("there is room for the log")))
        .build()
        .expect("the runtime is complete");
    let session = runtime.open_session().expect("the store is in memory");
    let call = |number: usize| {
        let call = ToolCall::new("Touch", json!({ "file": number }));
        let answer = runtime.guard(&session, &call, || {
            File::create(directory.join(format!("effect-{number}"))).expect("a name needs no room");
            ToolResult::text("created")
        });
        let code = answer.expect("the session is open").result.code;
        code.map_or_else(|| "done".to_owned(), |code| code.to_string())
    };
    (1..=CALLS).map(call).collect()
}

/// Is the worker if the variable is set; otherwise it checks that all calls run with room.
#[test]
fn calls_run_while_there_is_room() {
    let tree = Tree::new("");
    let directory = env::var_os(DIRECTORY).map(PathBuf::from);
    let policy = env::var(POLICY).unwrap_or_else(|_| "required".to_owned());
    let codes = call_repeatedly(directory.as_deref().unwrap_or(tree.path()), &policy);
    if directory.is_some() {
        let lines: String = codes.iter().map(|code| format!("\n> {code}")).collect();
        stdout().write_all(format!("{lines}\n").as_bytes()).expect("the test reads it");
    } else {
        assert_eq!(codes, ["done"; CALLS]);
    }
}

/// Runs a worker whose files may have 8 units of 512 or 1,024 bytes, depending on the shell.
fn run(directory: &Path, policy: &str) -> Vec<String> {
    let worker = env::current_exe().expect("the test has a file");
    // The write fails with an error only if the signal is ignored.
    let limited = r#"trap "" XFSZ; ulimit -f 8; exec "$0" "$@""#;
    let test = "audit_required::calls_run_while_there_is_room";
    let mut command = Command::new("sh");
    command.args(["-c", limited]).arg(worker);
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]);
    let output = command.env(DIRECTORY, directory).env(POLICY, policy).output();
    let output = output.expect("the system has a shell");
    let text = String::from_utf8_lossy(&output.stdout);
    let codes: Vec<_> =
        text.lines().filter_map(|line| line.strip_prefix("> ")).map(str::to_owned).collect();
    assert_eq!(codes.len(), CALLS, "the worker ran: {output:?}");
    codes
}

/// Returns the numbers of the calls whose effect exists.
fn effects(directory: &Path) -> BTreeSet<usize> {
    let exists = |number: &usize| directory.join(format!("effect-{number}")).exists();
    (1..=CALLS).filter(exists).collect()
}

/// Returns the numbers of the calls whose intent is in the log.
fn intents(directory: &Path) -> BTreeSet<usize> {
    let log = directory.join("audit.jsonl");
    verify(&log).expect("the chain is whole");
    let text = fs::read_to_string(&log).expect("the log exists");
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let events = lines.map(|line| line.get("entry").cloned().unwrap_or(line));
    let intended = events.filter(|event| event["event"] == "tool_call_intended");
    let number = |event: Value| event["call"].as_u64().and_then(|call| usize::try_from(call).ok());
    intended.filter_map(number).collect()
}

#[test]
fn full_disk_stops_every_call() {
    let tree = Tree::new("");
    let codes = run(tree.path(), "required");
    let ran: BTreeSet<_> = (1..=CALLS).filter(|number| codes[number - 1] == "done").collect();
    assert!(!ran.is_empty() && ran.len() < CALLS, "the disk becomes full in between: {codes:?}");
    assert_eq!(effects(tree.path()), ran, "a refused call has no effect");
    assert!(ran.is_subset(&intents(tree.path())), "nothing ran without an intent on disk");
    let refused = codes.iter().filter(|code| *code != "done");
    assert!(refused.clone().all(|code| code == "audit-unavailable"), "{codes:?}");
    assert_eq!(codes[CALLS - 1], "audit-unavailable", "the disk stays full");
}

#[test]
fn full_disk_stops_nothing_if_the_audit_is_not_required() {
    let tree = Tree::new("");
    let codes = run(tree.path(), "best_effort");
    assert_eq!(codes, ["done"; CALLS]);
    assert_eq!(effects(tree.path()).len(), CALLS, "each call has its effect");
    assert!(intents(tree.path()).len() < CALLS, "the log has no room for all of them");
}
