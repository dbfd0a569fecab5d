//! Scripts are run and not read, whatever tool would read them.

use std::cell::Cell;
use std::os::unix::fs::symlink;

use prowess::session::{ForkRequest, SessionHandle};
use prowess::{Policies, Runtime, SkillError, ToolCall, ToolResult};
use prowess_testkit::Tree;
use serde_json::{Value, json};

const FILES: &str = include_str!("../data/script_read.txt");

struct Host {
    tree: Tree,
    runtime: Runtime,
    session: SessionHandle,
}

impl Host {
    fn new(script_read: &str) -> Self {
        let tree = Tree::new(FILES);
        let yaml = format!(
            "tools: {{ script_read: {script_read} }}\ngate: {{ ungranted: allow }}\n\
             scripts: {{ interpreters: {{ lua: [lua] }} }}"
        );
        let runtime = Runtime::builder()
            .policies(Policies::from_yaml(&yaml).expect("the policies are valid"))
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
                decision.is_denied(),
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
fn script_is_blocked_by_each_argument_and_name_of_a_tool() {
    let host = Host::new("block_when_active");
    let script = host.path("skills/pdf/scripts/fill.py");
    for key in ["file_path", "path", "filePath", "filename", "file", "target_file", "uri"] {
        host.check("Read", json!({ (key): script }), true);
    }
    for tool in ["read", "READ", "read_file", "ReadFile", "view", "mcp__fs__read_text_file", "cat"]
    {
        host.check(tool, json!({ "path": script }), true);
    }
    host.check("read_multiple_files", json!({ "paths": ["a.txt", script] }), true);
    host.check("Read", json!({ "files": [{ "path": script }] }), true);
    let root = host.path("skills/pdf");
    for command in [
        format!("cat {script}"),
        format!("cat < {script} > /tmp/x"),
        format!("x=$(<{script}); echo \"$(cat '{script}')\""),
        format!("while read -r line; do :; done; sed -n 1,5p {script} 2>&1"),
        format!("cd {root} && /usr/bin/head -5 scripts/fill.py"),
        format!("cd {root}/references; grep -n print ../scripts/fill.py"),
        format!("cd {root} && cd scripts && awk 1 fill.py | cat"),
    ] {
        host.check("Bash", json!({ "command": command }), true);
    }
    host.check("skills_read", json!({ "path": "scripts/fill.py" }), true);
    host.check("skills_read", json!({ "skill": "pdf", "path": "./scripts/fill.py" }), true);
}

#[test]
fn each_form_of_the_path_is_the_script() {
    let host = Host::new("block_when_active");
    let root = host.path("skills/pdf");
    symlink(host.tree.join("skills/pdf"), host.tree.join("link")).unwrap();
    symlink(host.tree.join("skills/pdf/scripts/fill.py"), host.tree.join("desk/a.txt")).unwrap();
    for path in [
        format!("{root}/scripts/fill.py"),
        format!("{root}/./scripts//fill.py"),
        format!("{root}/references/../scripts/fill.py"),
        format!("file://{root}/scripts/fill.py"),
        "scripts/fill.py".to_owned(),
        "./scripts/fill.py".to_owned(),
        "skill://pdf/scripts/fill.py".to_owned(),
        host.path("link/scripts/fill.py"),
        host.path("desk/a.txt"),
    ] {
        host.check("Read", json!({ "file_path": path }), true);
    }
}

#[test]
fn other_files_and_other_tools_pass() {
    let host = Host::new("block_when_active");
    let script = host.path("skills/pdf/scripts/fill.py");
    for path in
        ["skills/pdf/references/guide.md", "skills/pdf/scripts/notes.txt", "desk/scripts/fill.py"]
    {
        host.check("Read", json!({ "file_path": host.path(path) }), false);
    }
    host.check("Read", json!({ "file_path": host.path("skills/idle/scripts/idle.sh") }), false);
    host.check("skills_read", json!({ "skill": "idle", "path": "scripts/idle.sh" }), false);
    host.check("Bash", json!({ "command": script }), false);
    host.check("Bash", json!({ "command": format!("python3 {script}") }), false);
    for command in ["cat notes.txt && head -3 /etc/hosts", "cd /srv && cat scripts/fill.py"] {
        host.check("Bash", json!({ "command": command }), false);
    }
    host.check("Bash", json!({ "command": format!("echo $(python3 {script}) > x") }), false);
    host.check("Write", json!({ "file_path": script }), false);
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
