//! Scripts are run and not read, whatever tool would read them.

use std::cell::Cell;
use std::os::unix::fs::symlink;

use prowess::gating::{Decision, Reason};
use prowess::session::{ForkRequest, SessionHandle};
use prowess::{Policies, Runtime, SkillError, ToolCall, ToolResult};
use prowess_testkit::Tree;
use serde_json::{Value, json};

const FILES: &str = include_str!("../data/script_read.txt");

/// Calls that are refused, behind `-`, and others, behind `+`; those of `$` are commands of `Bash`.
const CALLS: &str = include_str!("../data/script_read_calls.txt");

struct Host {
    tree: Tree,
    runtime: Runtime,
    session: SessionHandle,
}

impl Host {
    fn new(script_read: &str) -> Self {
        Self::by(&format!(
            "tools: {{ script_read: {script_read} }}\ngate: {{ ungranted: allow }}\n\
             scripts: {{ interpreters: {{ lua: [lua] }} }}"
        ))
    }

    fn by(yaml: &str) -> Self {
        let tree = Tree::new(FILES);
        let runtime = Runtime::builder()
            .policies(Policies::from_yaml(yaml).expect("the policies are valid"))
            .skills_directory("user", tree.join("skills"))
            .build()
            .expect("the runtime is complete");
        let session = runtime.open_session().expect("the store is in memory");
        let load = ToolCall::new("skills_load", json!({ "names": ["pdf"] }));
        let loaded = runtime.turn(&session).expect("the session is open").call(&load);
        assert!(!loaded.result.is_error, "{loaded:?}");
        Self { tree, runtime, session }
    }

    fn path(&self, below: &str) -> String {
        self.tree.join(below).to_str().expect("the directory is UTF-8").to_owned()
    }

    #[track_caller]
    fn check(&self, tool: &str, arguments: Value, is_blocked: bool) {
        let ran = Cell::new(false);
        let call = ToolCall::new(tool, arguments);
        let answer = self.runtime.guard(&self.session, &call, || {
            ran.set(true);
            ToolResult::text("the text")
        });
        let answer = answer.expect("the session is open");
        assert_eq!(ran.get(), !is_blocked, "{call:?}: {answer:?}");
        let turn = self.runtime.turn(&self.session).expect("the session is open");
        for decision in [turn.decide(tool, &call.arguments), turn.explain(tool, &call.arguments)] {
            let decision = decision.expect("the approvals are in memory");
            assert_eq!(
                decision.grounds().reason == Reason::ScriptRead,
                is_blocked,
                "{call:?}: it is explained so: {decision}"
            );
        }
        if is_blocked {
            let code = answer.result.code.expect("it is refused");
            assert_eq!(code.as_str(), "script-read-blocked", "{call:?}");
            let Some(SkillError::ScriptRead { skill, path, reason }) =
                answer.result.error.as_deref()
            else {
                panic!("hosts branch on the error: {call:?}");
            };
            assert!(!skill.is_empty() && path.starts_with("scripts/"), "{skill} {path}");
            assert!(reason.contains("must be EXECUTED via Bash tool"), "{reason}");
            let run = format!("cd {}/", self.path("skills"));
            assert!(reason.contains(&run), "the command runs from any directory: {reason}");
        }
    }
}

#[test]
fn calls_that_read_a_script_are_refused() {
    let host = Host::new("block_when_active");
    symlink(host.tree.join("skills/pdf"), host.tree.join("link")).unwrap();
    symlink(host.tree.join("skills/pdf/scripts/fill.py"), host.tree.join("desk/a.txt")).unwrap();
    let root = host.path("");
    let calls = CALLS.replace("ROOT", root.trim_end_matches('/'));
    for call in calls.lines().filter(|line| line.starts_with(['+', '-'])) {
        let (tool, arguments) = call[2..].split_once(' ').expect("a tool and its arguments");
        let (tool, arguments) = match tool {
            "$" => ("Bash", json!({ "command": arguments.replace("\\n", "\n") })),
            tool => (tool, serde_json::from_str(arguments).expect("it is JSON")),
        };
        host.check(tool, arguments, call.starts_with('-'));
    }
}

#[test]
fn decision_about_a_skill_tool_is_that_of_its_call() {
    for row in include_str!("../data/refused_calls.txt").lines() {
        let [policy, call, code] = *row.split('|').collect::<Vec<_>>() else { panic!("{row}") };
        let host = Host::by(policy);
        let (tool, arguments) = call.split_once(' ').expect("a tool and its arguments");
        let call = ToolCall::new(tool, serde_json::from_str(arguments).expect("it is JSON"));
        let turn = host.runtime.turn(&host.session).expect("the session is open");
        let before = host.session.state().expect("the session is open");
        for decision in [turn.decide(tool, &call.arguments), turn.explain(tool, &call.arguments)] {
            let found = match decision.expect("the approvals are in memory") {
                Decision::Deny { refusal, .. } => refusal.code.to_string(),
                _ => String::new(),
            };
            assert_eq!(found, code, "{row}");
        }
        assert_eq!(host.session.state().as_ref(), Ok(&before), "{row}: nothing has changed");
        let answer = turn.call(&call).result.code.map(|code| code.to_string());
        assert_eq!(answer.unwrap_or_default(), code, "{row}");
    }
}

#[test]
fn policy_decides_which_skills_count() {
    let idle = "skills/idle/scripts/idle.sh";
    let block = Host::new("block");
    block.check("Read", json!({ "file_path": block.path(idle) }), true);
    block.check("Read", json!({ "file_path": "skill://idle/scripts/idle.sh" }), true);
    // The extension is that of an interpreter of the policy.
    let lua = json!({ "skill": "idle", "path": "scripts/report.lua" });
    block.check("skills_read", lua, true);
    let read = ToolCall::new("Read", json!({ "file_path": "scripts/report.lua" }));
    let refused = block.runtime.guard(&block.session, &read, || ToolResult::text("the text"));
    let refused = format!("{:?}", refused.expect("the session is open").result);
    assert!(refused.contains("of skill `idle`"), "the package that has it: {refused}");
    let mut fork = Host::new("block_when_active");
    let child = fork.session.fork(&ForkRequest::default()).expect("there is room");
    drop(std::mem::replace(&mut fork.session, child).task());
    let script = "scripts/fill.py";
    fork.check("Read", json!({ "file_path": fork.path(&format!("skills/pdf/{script}")) }), true);
    fork.check("skills_read", json!({ "skill": "pdf", "path": script }), true);
    let allow = Host::new("allow");
    let script = allow.path("skills/pdf/scripts/fill.py");
    allow.check("Read", json!({ "file_path": script }), false);
}
