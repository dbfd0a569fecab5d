//! Conversations with the shell in which skills are mounted.

use std::sync::Arc;

use prowess::audit::{AuditEntry, MemoryLog};
use prowess::session::SessionHandle;
use prowess::shell::Materialize;
use prowess::tools::Surface;
use prowess::{
    Layer, MemorySource, Policies, Runtime, RuntimeBuilder, ToolCall, ToolDefinition, ToolResult,
    Trust, Verdict,
};
use prowess_testkit::Tree;
use serde_json::{Value, json};

const SHELF: &str = "
//- /skills/python-dev/SKILL.md
---
name: python-dev
description: Develops with Python. Use when a project is to be set up.
---
Run scripts/setup-venv.sh with the name of the project.
//- /skills/python-dev/scripts/setup-venv.sh
#!/bin/bash
mkdir -p /made/$1/bin
echo \"home = /usr/bin\" > /made/$1/pyvenv.cfg
echo \"Created $1\"
//- /skills/python-dev/references/guide.md
A guide.
";

/// A runtime over the shelf, with its audit in memory and one session.
struct Host {
    tree: Tree,
    runtime: Runtime,
    session: SessionHandle,
    log: Arc<MemoryLog>,
}

impl Host {
    fn new(change: impl FnOnce(&mut Policies)) -> Self {
        Self::with(change, |builder| builder)
    }

    fn with(
        change: impl FnOnce(&mut Policies),
        add: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder,
    ) -> Self {
        let mut policies = Policies::preset("sandbox").expect("there is one");
        policies.layers = vec![Layer::new("personal", Trust::Trusted)];
        change(&mut policies);
        let tree = Tree::new(SHELF);
        let log = Arc::new(MemoryLog::default());
        let builder = Runtime::builder().policies(policies).audit(log.clone());
        let builder = builder.skills_directory("personal", tree.join("skills"));
        let runtime = add(builder).build().expect("the policies fit together");
        let session = runtime.open_session().expect("the store is in memory");
        Self { tree, runtime, session, log }
    }

    fn call_in(&self, session: &SessionHandle, tool: &str, arguments: Value) -> ToolResult {
        let turn = self.runtime.turn(session).expect("the session is open");
        turn.call(&ToolCall::new(tool, arguments)).result
    }

    fn call(&self, tool: &str, arguments: Value) -> ToolResult {
        self.call_in(&self.session, tool, arguments)
    }

    /// Runs a command, and returns its result without the id of the sandbox.
    fn execute(&self, command: &str) -> Value {
        let result = self.call("sandbox_execute", json!({ "command": command }));
        let mut value =
            result.structured.unwrap_or_else(|| panic!("`{command}`: {:?}", result.content));
        value.as_object_mut().expect("it is an object").remove("sandbox");
        value
    }

    fn definitions(&self) -> Vec<ToolDefinition> {
        self.runtime.turn(&self.session).expect("the session is open").tools()
    }
}

#[test]
fn model_gets_a_skill_and_runs_its_script() {
    let host = Host::new(|_| {});
    let names: Vec<String> = host.definitions().into_iter().map(|tool| tool.name).collect();
    assert_eq!(
        names,
        ["get_skill", "sandbox_execute", "skills_read"],
        "the preset has no run tool"
    );

    let got =
        host.call("get_skill", json!({ "skillName": "python-dev" })).structured.expect("data");
    let path = got["mountPath"].as_str().expect("it is mounted");
    assert_eq!(path, "/.sandbox/skills/python-dev");

    let ran = host.execute(&format!("sh {path}/scripts/setup-venv.sh venv"));
    assert_eq!(ran, json!({ "exitCode": 0, "output": "Created venv", "error": "" }));
    let found = host.execute("cat /made/venv/pyvenv.cfg");
    assert_eq!(found["output"], "home = /usr/bin", "the session keeps what the script wrote");
    assert!(!host.tree.join("work").exists(), "nothing is written outside");
}

#[test]
fn failing_command_is_a_result() {
    let host = Host::new(|_| {});
    let ran = host.execute("cat /nonexistent");
    let error = "cat: /nonexistent: No such file or directory";
    assert_eq!(ran, json!({ "exitCode": 1, "output": "", "error": error }));
    let stopped = host.execute("echo a; while :; do :; done");
    assert_eq!((&stopped["exitCode"], &stopped["output"]), (&json!(124), &json!("a")));
    assert!(stopped["stopped"].is_string() && stopped["hint"].is_string(), "{stopped}");
}

#[test]
fn changes_in_the_sandbox_leave_the_package_alone() {
    let host = Host::new(|_| {});
    let file = "/.sandbox/skills/python-dev/references/guide.md";
    let ran = host.execute(&format!(
        "echo changed > {file}; rm -r /.sandbox/skills/python-dev/scripts; cat {file}"
    ));
    assert_eq!(ran["output"], "changed", "{ran}");
    let read =
        host.call("skills_read", json!({ "skill": "python-dev", "path": "references/guide.md" }));
    assert_eq!(read.texts().next(), Some("A guide.\n"), "another tool reads the package");
    let other = host.runtime.open_session().expect("the store is in memory");
    let arguments = json!({ "command": format!("cat {file}") });
    let other = host.call_in(&other, "sandbox_execute", arguments).structured.expect("data");
    assert_eq!(other["output"], "A guide.", "another session has its own files");
}

#[test]
fn sandboxes_have_ids_in_results_and_in_the_audit() {
    let host = Host::new(|_| {});
    let other = host.runtime.open_session().expect("the store is in memory");
    let mut shown = Vec::new();
    for session in [&host.session, &other] {
        let result = host.call_in(session, "sandbox_execute", json!({ "command": "true" }));
        shown.push(result.structured.expect("data")["sandbox"].as_str().expect("an id").to_owned());
    }
    assert_ne!(shown[0], shown[1], "two sessions have two sandboxes");
    let audited: Vec<String> = host
        .log
        .entries()
        .into_iter()
        .filter_map(|entry| match entry {
            AuditEntry::Call(event) => event.sandbox,
            _ => None,
        })
        .collect();
    assert_eq!(audited, shown, "the audit has the same ids");
}

#[test]
fn gate_decides_on_commands() {
    let host = Host::new(|policies| {
        policies.gate.ceiling.deny =
            serde_json::from_value(json!(["sandbox_execute(rm:*)"])).expect("a rule");
    });
    let arguments = json!({ "command": "rm -rf /made" });
    let refused = host.call("sandbox_execute", arguments);
    assert!(refused.is_error, "the ceiling forbids this command: {refused:?}");
    assert_eq!(host.execute("echo on")["output"], "on", "others run");
    let verdicts: Vec<_> = host
        .log
        .entries()
        .into_iter()
        .filter_map(|entry| match entry {
            AuditEntry::Call(event) => event.intent.decision.map(|decision| decision.verdict),
            _ => None,
        })
        .collect();
    assert_eq!(verdicts, [Verdict::Denied, Verdict::Allowed], "both decisions are audited");
}

#[test]
fn skills_of_several_sources_are_mounted() {
    let text = "---\nname: generated\ndescription: Was generated. Use it.\n---\nBody\n";
    let source = MemorySource::builder("generated").file("generated\\SKILL.md", text);
    let source =
        source.file("generated\\scripts\\run.sh", "echo generated").build().expect("good paths");
    let host = Host::with(|_| {}, |builder| builder.source("personal", Arc::new(source)));
    let ran = host.execute("ls /.sandbox/skills; sh /.sandbox/skills/generated/scripts/run.sh");
    assert_eq!(ran["output"], "generated\npython-dev\ngenerated", "{ran}");
}

#[test]
fn edited_package_is_seen_after_a_reload() {
    let host = Host::new(|_| {});
    let command = "cat /.sandbox/skills/python-dev/references/guide.md";
    assert_eq!(host.execute(command)["output"], "A guide.");
    host.tree.write("skills/python-dev/references/guide.md", "Another guide.");
    assert_eq!(
        host.execute(command)["output"],
        "A guide.",
        "the copy stays while the catalog does"
    );
    host.tree
        .write("skills/new/SKILL.md", "---\nname: new\ndescription: Is new. Use it.\n---\nBody\n");
    host.runtime.reload();
    assert_eq!(host.execute(command)["output"], "Another guide.");
}

/// A preset without a shell copies no file at all: it has no tool that would use a copy.
#[test]
fn files_are_copied_when_the_policy_says() {
    for (materialize, expected) in
        [(Materialize::OnRead, "Another guide."), (Materialize::AtMount, "A guide.")]
    {
        let host = Host::new(|policies| policies.shell.materialize = materialize);
        host.execute("ls /.sandbox/skills/python-dev");
        host.tree.write("skills/python-dev/references/guide.md", "Another guide.");
        let read = host.execute("cat /.sandbox/skills/python-dev/references/guide.md");
        assert_eq!(read["output"], expected, "{materialize:?}");
    }
    for preset in ["standard", "flexigpt", "omniforge", "boxxy", "yodoca"] {
        let policies = Policies::preset(preset).expect("there is one");
        assert!(!policies.tools.surfaces.contains(&Surface::Shell), "{preset} copies no file");
    }
}

#[test]
fn skill_that_is_not_mounted_says_why() {
    let host = Host::new(|policies| policies.shell.limits.files = 1);
    let got =
        host.call("get_skill", json!({ "skillName": "python-dev" })).structured.expect("data");
    assert_eq!(got["mountPath"], Value::Null, "{got}");
    let error = got["mountError"].as_str().expect("there is a reason");
    assert!(error.contains("too many files"), "{error}");
    assert!(got["instructions"].as_str().is_some_and(|text| text.contains("setup-venv")), "{got}");
}

#[test]
fn surface_without_a_shell_refuses_commands() {
    let mut policies = Policies::default();
    policies.tools.surfaces = vec![Surface::Shell];
    let tools = prowess::tools::SkillTools::new(policies.tools, policies.delivery);
    let toolbox = prowess::tools::Toolbox::builder(prowess::tools::ToolNaming::default());
    let toolbox = toolbox.provider(&tools).build().expect("one tool");
    let catalog = prowess_testkit::memory_catalog([("a", "x", &[] as &[&str])]);
    let offered = toolbox.definitions(&catalog).into_iter().map(|tool| tool.name);
    assert!(
        !offered.collect::<Vec<_>>().contains(&"sandbox_execute".to_owned()),
        "it is not offered"
    );
}
