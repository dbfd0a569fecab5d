//! The commands on an audit log that a host has written.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use prowess::{Policies, Runtime, SessionId, ToolCall};
use prowess_audit::{JsonLinesLog, LogOptions, Redactor};
use prowess_testkit::{ManualClock, Tree};
use serde_json::json;

use crate::plain_skill;
use crate::program::{Program, Ran};

/// A log of one conversation, whose model wrote a control character.
fn log() -> (Tree, PathBuf) {
    let tree = Tree::new("");
    tree.write("skills/pdf/SKILL.md", plain_skill("pdf"));
    let path = tree.join("audit.jsonl");
    let clock = Arc::new(ManualClock::default());
    let options = LogOptions::default();
    let log = JsonLinesLog::open(&path, options, Redactor::default(), clock.clone());
    let log = log.expect("there is room");
    let builder = Runtime::builder().policies(Policies::default()).audit(Arc::new(log));
    let runtime = builder.clock(clock).skills_directory("user", tree.join("skills")).build();
    let runtime = runtime.expect("the runtime is complete");
    let id = SessionId::new("chat-1").expect("it is a good id");
    let session = runtime.open_session_with(id).expect("it is new");
    let turn = runtime.turn(&session).expect("it is open");
    turn.call(&ToolCall::new("skills_load", json!({ "names": ["pdf"] })));
    turn.call(&ToolCall::new("skills_\u{1b}[31mred", json!({})));
    runtime.close_session(session.id()).expect("it is open");
    (tree, path)
}

fn run(args: &[&str], path: &std::path::Path) -> Ran {
    Program::new().run(&[args, &[path.to_str().unwrap()]].concat())
}

#[test]
fn story_is_readable_and_encoded() {
    let (_tree, path) = log();
    let shown = run(&["audit", "show", "--session", "chat-1"], &path);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    expect_test::expect![[r#"
        session chat-1
          2026-01-01T00:00:00Z  skills.load pdf: done in 0 ms
          2026-01-01T00:00:00Z  loaded pdf
          2026-01-01T00:00:00Z  refused skills_\u{1b}[31mred in pdf: unknown-tool
          2026-01-01T00:00:00Z  pdf ended after 0 s (session closed)
    "#]]
    .assert_eq(shown.text());
    let other = run(&["audit", "show", "--session", "chat-2"], &path);
    assert_eq!(other.code, Some(1));
    assert!(other.stderr.contains("error[session-not-found]"), "{}", other.stderr);
}

#[test]
fn tampering_is_reported_with_its_line() {
    let (_tree, path) = log();
    let ok = run(&["audit", "verify", "--format", "json"], &path);
    assert_eq!(ok.code, Some(0), "{ok:?}");
    let head = ok.json()["head"].as_str().unwrap().to_owned();
    assert_eq!(run(&["audit", "verify", "--head", &head], &path).code, Some(0));

    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    fs::write(&path, lines[..3].concat()).unwrap();
    let cut = run(&["audit", "verify", "--head", &head], &path);
    assert_eq!(cut.code, Some(1));
    assert!(cut.stderr.contains("error[audit-log-replaced]"), "{}", cut.stderr);

    fs::write(&path, text.replacen("\"skill_name\":\"pdf\"", "\"skill_name\":\"pdx\"", 1)).unwrap();
    for args in [&["audit", "verify"][..], &["audit", "show"], &["audit", "stats"]] {
        let broken = run(args, &path);
        assert_eq!(broken.code, Some(1), "{args:?}");
        assert!(broken.stderr.contains("error[audit-log-broken]: line 3 of"), "{}", broken.stderr);
    }
}

#[test]
fn statistics_count_calls() {
    let (_tree, path) = log();
    let stats = run(&["audit", "stats", "--format", "json"], &path).json();
    assert_eq!(stats["sessions"], 1);
    assert_eq!(stats["tools"]["skills.load"]["done"], 1, "{stats}");
    assert_eq!(stats["skills"]["pdf"]["activations"], 1, "{stats}");
    assert!(
        run(&["audit", "stats"], &path)
            .text()
            .contains("  skills.load: 1 done, 0 failed, 0 refused, 0 ms\n")
    );
}

#[test]
fn missing_log_is_named() {
    let missing = Program::new().run(&["audit", "show"]);
    assert_eq!(missing.code, Some(1));
    assert!(missing.stderr.contains("error[audit-log-unreadable]"), "{}", missing.stderr);
    assert!(missing.stderr.contains(".local/state/prowess/audit.jsonl"), "{}", missing.stderr);
    assert!(missing.stderr.contains("audit: { log: keep }"), "the help says how to keep a log");
}
