//! A program that is killed while a skill is loaded, and the program after it.

use std::env;
use std::io::{BufRead, BufReader, Write as _, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use prowess::audit::{JsonLinesLog, LogOptions, Redactor, verify};
use prowess::session::SessionHandle;
use prowess::state::SessionDatabase;
use prowess::{Runtime, SessionId, SystemClock, ToolCall};
use prowess_testkit::Tree;
use serde_json::{Value, json};

const DIRECTORY: &str = "PROWESS_SESSION_TEST_DIRECTORY";

const SKILL: &str = include_str!("../data/session-after-kill-skill.txt");

fn runtime(directory: &Path) -> Runtime {
    let clock = Arc::new(SystemClock::default());
    let log = directory.join("audit.jsonl");
    let log = JsonLinesLog::open(log, LogOptions::default(), Redactor::default(), clock);
    let store = SessionDatabase::open(directory.join("state.db")).expect("there is room");
    let builder = Runtime::builder().session_store(Arc::new(store));
    let builder = builder.audit(Arc::new(log.expect("no other program writes the log")));
    builder.skills_directory("user", directory.join("skills")).build().expect("it is complete")
}

fn call(runtime: &Runtime, session: &SessionHandle, name: &str, arguments: Value) {
    let turn = runtime.turn(session).expect("the session is open");
    let answer = turn.call(&ToolCall::new(name, arguments));
    assert!(!answer.result.is_error, "{answer:?}");
}

/// Is the program that is killed if the variable is set: it loads a skill and waits.
#[test]
fn loads_and_waits() {
    let own = Tree::new(SKILL);
    let directory = env::var_os(DIRECTORY).map(PathBuf::from);
    let runtime = runtime(directory.as_deref().unwrap_or(own.path()));
    let id = SessionId::new("talk").expect("a valid id");
    let session = runtime.open_session_with(id).expect("it is new");
    call(&runtime, &session, "skills_load", json!({ "names": ["pdf"] }));
    assert_eq!(session.state().expect("it is open").active.len(), 1);
    if directory.is_some() {
        stdout().write_all(b"\n> loaded\n").expect("the test reads it");
        stdout().flush().expect("the test reads it");
        let _ = stdin().read_line(&mut String::new());
    }
}

/// Starts the program, and kills it once the skill is loaded.
fn kill_after_load(directory: &Path) {
    let mut command = Command::new(env::current_exe().expect("the test has a file"));
    let test = "session_after_kill::loads_and_waits";
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(DIRECTORY, directory);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the test can be run");
    let output = BufReader::new(child.stdout.take().expect("it is a pipe"));
    let loaded = output.lines().map_while(Result::ok).any(|line| line == "> loaded");
    child.kill().expect("it runs");
    let status = child.wait().expect("it was killed");
    assert!(loaded && !status.success(), "the program is killed with a loaded skill: {status}");
}

/// Returns the events of an audit log with this name.
fn events(directory: &Path, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(directory.join("audit.jsonl")).expect("the log exists");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let entries = lines.map(|line| line.get("entry").cloned().unwrap_or(line));
    entries.filter(|entry| entry["event"] == name).collect()
}

#[test]
fn killed_program_leaves_a_session_that_is_resumed() {
    let tree = Tree::new(SKILL);
    kill_after_load(tree.path());
    let id = SessionId::new("talk").expect("a valid id");
    {
        let runtime = runtime(tree.path());
        assert!(runtime.open_session_with(id.clone()).is_err(), "it is still open");
        let session = runtime.resume_session(&id).expect("the database has it");
        let prompt = runtime.turn(&session).expect("it is open").prompt().text.clone();
        assert!(prompt.contains("Body of pdf"), "the skill is loaded: {prompt}");
        call(&runtime, &session, "skills_unload", json!({ "names": ["pdf"] }));
    }
    verify(&tree.join("audit.jsonl")).expect("both programs wrote one chain");
    let [activated, resumed, ended] = ["skill_activated", "session_resumed", "skill_deactivated"]
        .map(|name| {
            let [event] = <[Value; 1]>::try_from(events(tree.path(), name)).expect("each once");
            event
        });
    assert_eq!(resumed["session_id"], "talk");
    assert_eq!(resumed["loaded"][0]["skill_name"], "pdf");
    let [since, recorded] = [&resumed["loaded"][0]["activated"], &activated["timestamp"]]
        // A fraction has no zeros at its end, so texts are in the order of times without their `Z`.
        .map(|time| time.as_str().expect("a time is a text").trim_end_matches('Z'));
    assert!(since <= recorded, "the first program loaded it: {since}, {recorded}");
    let run = &activated["correlation_id"];
    assert_eq!(resumed["loaded"][0]["correlation_id"], *run, "the run goes on");
    assert_eq!(ended["correlation_id"], *run, "and ends as itself");
}
