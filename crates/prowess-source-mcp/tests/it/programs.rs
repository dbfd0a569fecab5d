//! Servers that are programs of this machine.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use prowess_core::{SkillSource, SourceErrorKind};
use prowess_source_mcp::{McpServer, McpSource, ServerCommand};
use prowess_testkit::{ManualClock, ScanRecorder};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;
use tempfile::TempDir;

use crate::peer::{source, source_within};
use crate::skills::{contents, entry, read, skill_md};

/// Answers with the files `list` and `read` of its directory.
const SERVER: &str = include_str!("../data/programs-server.txt");

fn command(script: &str, directory: &Path) -> McpServer {
    McpServer::Command(ServerCommand {
        program: "sh".into(),
        arguments: vec!["-c".into(), script.into()],
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        directory: Some(directory.to_owned()),
    })
}

/// A server with a skill `pdf`. The scripts run when it gets a subscription and a read.
fn server(background: &str, read: &str) -> (TempDir, McpSource) {
    let directory = tempfile::tempdir().unwrap();
    let text = skill_md("pdf", "Fill.");
    let pdf = entry("pdf", &[("SKILL.md", text.as_bytes())]);
    fs::write(directory.path().join("list"), json!({ "skills": [pdf] }).to_string()).unwrap();
    let contents = contents("skill://pdf/SKILL.md", text.as_bytes());
    fs::write(directory.path().join("read"), contents.to_string()).unwrap();
    let script = SERVER.replace("BACKGROUND", background).replace("READ", read);
    let server = command(&script, directory.path());
    let source = source(server, Arc::new(ManualClock::default()));
    (directory, source)
}

fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

#[test]
fn program_is_a_server() {
    let (_directory, source) = server(":", ":");
    assert_eq!(ScanRecorder::scan(&source).unwrap().packages(), ["pdf"]);
    assert_eq!(read(&source, "pdf", "SKILL.md").unwrap(), skill_md("pdf", "Fill.").as_bytes());
}

#[test]
fn program_that_has_ended_is_started_again() {
    let (_directory, source) = server(":", "[ -e once ] || { touch once; exit 1; }");
    ScanRecorder::scan(&source).unwrap();
    assert_eq!(read(&source, "pdf", "SKILL.md").unwrap(), skill_md("pdf", "Fill.").as_bytes());
}

#[test]
fn report_of_a_change_is_followed() {
    let list_changed = r#"{ cat gate; echo '{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}'; } &"#;
    let (directory, source) = server(list_changed, ":");
    let gate = directory.path().join("gate");
    fifo(&gate);
    let (sender, receiver) = channel();
    let watch = source.watch(Arc::new(move |change| drop(sender.send(change)))).unwrap();
    receiver.recv().expect("the first listing is a change");
    assert_eq!(ScanRecorder::scan(&source).unwrap().packages(), ["pdf"]);
    let skills = ["notes", "pdf"].map(|name| entry(name, &[("SKILL.md", b"")]));
    fs::write(directory.path().join("list"), json!({ "skills": skills }).to_string()).unwrap();
    // Lines that the server writes before its report are no messages.
    File::options().write(true).open(&gate).unwrap().write_all(b"go\n").unwrap();
    receiver.recv().expect("the interval is not over, but the server has reported a change");
    assert_eq!(ScanRecorder::scan(&source).unwrap().packages(), ["notes", "pdf"]);
    drop(watch);
}

#[test]
fn program_ends_with_its_source() {
    let (directory, source) = server("{ sleep 1000 > alive; } &", ":");
    let alive = directory.path().join("alive");
    fifo(&alive);
    let opened = std::thread::spawn(move || File::open(alive).unwrap());
    ScanRecorder::scan(&source).unwrap();
    let mut alive = opened.join().unwrap();
    drop(source);
    let mut rest = Vec::new();
    alive.read_to_end(&mut rest).expect("the pipe is closed when its last process has ended");
}

/// Returns the error of a scan of a server that is this script.
fn failure(script: &str, timeout: Duration) -> String {
    let directory = tempfile::tempdir().unwrap();
    let server = command(script, directory.path());
    let source = source_within(timeout, server, Arc::new(ManualClock::default()));
    let error = ScanRecorder::scan(&source).expect_err(script);
    assert!(
        matches!(error.kind, SourceErrorKind::Unavailable | SourceErrorKind::TooLarge),
        "{script}: {error}"
    );
    assert!(error.message.len() < 500, "{script}: {error}");
    error.message
}

#[test]
fn programs_that_fail_are_errors() {
    let minute = Duration::from_secs(60);
    for line in include_str!("../data/failing-programs.jsonl").lines() {
        let (script, part): (String, String) = serde_json::from_str(line).unwrap();
        let message = failure(&script, minute);
        assert!(message.contains(&part), "{script}: {message}");
    }
    let unknown = McpServer::Command(ServerCommand {
        program: "/nonexistent/server".into(),
        arguments: Vec::new(),
        environment: Vec::new(),
        directory: None,
    });
    let source = source(unknown, Arc::new(ManualClock::default()));
    let error = ScanRecorder::scan(&source).unwrap_err();
    assert!(error.message.contains("cannot be started"), "{error}");
}

#[test]
fn programs_that_do_not_answer_end_a_scan() {
    let short = Duration::from_millis(200);
    for script in [
        "cat > /dev/null",
        "exec sleep 1000",
        "yes '{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}'",
        // A client that answered each of these without reading on would wait for ever.
        "yes '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}'",
        "trap '' TERM HUP; while :; do sleep 1; done",
    ] {
        let message = failure(script, short);
        assert!(message.contains("does not answer within"), "{script}: {message}");
    }
}

#[test]
fn environment_is_the_given_one() {
    let message =
        failure("echo \"has $(env | cut -d= -f1 | tr '\\n' ' ')\" >&2", Duration::from_secs(60));
    assert!(message.contains("PATH"), "{message}");
    for name in ["HOME", "USER", "CARGO"] {
        assert!(!message.contains(name), "{name} is not inherited: {message}");
    }
}
