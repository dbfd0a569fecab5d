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
    expect_test::expect_file!["../data/audit-story.txt"].assert_eq(shown.text());
    assert_eq!(run(&["audit", "show", "--session", "cha"], &path).stdout, shown.stdout);
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
        let is_shown = broken.stdout.contains("chat-1");
        assert_eq!(is_shown, args[1] == "show", "the log is shown: {}", broken.stdout);
        let marked = broken.stdout.lines().filter(|line| line.starts_with("? ")).count();
        assert_eq!(marked > 0, is_shown, "what is behind is marked: {}", broken.stdout);
    }
    let home = Tree::new("");
    home.write(".local/state/prowess/audit.jsonl", fs::read_to_string(&path).unwrap());
    let program = Program::new().at_home_in(home.path());
    let call = program.run(&["--set", "audit.log=keep", "call", "skills_list"]);
    assert_eq!(call.code, Some(0), "{call:?}");
    assert_eq!(call.stderr.matches("audit-log-broken").count(), 1, "who continues it: {call:?}");
}

#[test]
fn statistics_count_calls() {
    let (_tree, path) = log();
    let stats = run(&["audit", "stats", "--format", "json"], &path).json();
    assert_eq!(stats["sessions"], 1);
    assert_eq!(stats["tools"]["skills.load"]["done"], 1, "{stats}");
    assert_eq!(stats["skills"]["pdf"]["activations"], 1, "{stats}");
    let stats = run(&["audit", "stats"], &path);
    let row = stats.text().lines().find(|line| line.contains("skills.load")).expect("a row");
    assert_eq!(
        row.split_whitespace().collect::<Vec<_>>(),
        ["skills.load", "1", "0", "0", "0", "ms"]
    );
}

#[test]
fn missing_log_is_named() {
    let missing = Program::new().run(&["audit", "show"]);
    assert_eq!(missing.code, Some(1));
    assert!(missing.stderr.contains("error[audit-log-unreadable]"), "{}", missing.stderr);
    assert!(missing.stderr.contains(".local/state/prowess/audit.jsonl"), "{}", missing.stderr);
    assert!(missing.stderr.contains("audit: { log: keep }"), "the help says how to keep a log");
    for command in ["show", "verify", "stats"] {
        let empty = Program::new().run(&["--set", "audit.log=keep", "audit", command]);
        assert_eq!(empty.text(), "nothing is recorded yet\n", "{command}");
    }
    let tree = Tree::new("");
    let skill = plain_skill("pdf").replacen("---\n", "---\nhooks: { pre: scripts/no.sh }\n", 1);
    tree.write("skills/pdf/SKILL.md", skill);
    let at = |options: &[&str]| Program::new().at_home_in(tree.path()).run(options);
    let root = tree.join("skills").display().to_string();
    for (exec, is_there) in [("ignore", false), ("run", true)] {
        let hooks = format!("tools.hooks={exec}");
        let keep = ["--set", "audit.log=keep", "--set", "scripts.exec=tool", "--set", &hooks];
        at(&[&keep[..], &["--root", &root, "prompt", "--load", "pdf"]].concat());
        let is_kept = at(&["audit", "show"]).stdout.contains("skills.load pdf");
        assert_eq!(is_kept, is_there, "a prompt is on record if a load for it runs hooks");
    }
}

#[test]
fn story_is_filtered_and_in_local_time() {
    let (_tree, path) = log();
    let shown = |args: &[&str]| {
        let file = path.to_str().unwrap();
        let args = [&["audit", "show"], args, &[file]].concat();
        Program::new().variable("TZ", "Asia/Kolkata").run(&args).text().to_owned()
    };
    let all = shown(&["--all"]);
    assert!(all.contains("  2026-01-01 05:30:00.000  loaded pdf\n"), "{all}");
    assert!(all.contains("reload (start)") && !shown(&[]).contains("reload"), "{all}");
    assert!(shown(&["--utc"]).contains("  2026-01-01 00:00:00.000  loaded pdf\n"));
    let denied = shown(&["--denied"]);
    assert_eq!(denied.lines().count(), 2, "a heading and one refused call: {denied}");
    let load = shown(&["--tool", "Skills_load"]);
    assert!(load.contains("skills.load pdf") && load.lines().count() == 2, "{load}");
    for (since, is_shown) in [
        ("1h", false),
        ("1h30m", false),
        ("yesterday", false),
        ("00:00", false),
        ("2026-01-01", true),
        ("2026-01-01T05:31", false),
        ("2025-12-31T23:59:59Z", true),
    ] {
        assert_eq!(shown(&["--since", since]).contains("loaded pdf"), is_shown, "{since}");
    }
    let wrong = run(&["audit", "show", "--since", "soon"], &path);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
}
