//! Conversations with the shell in which skills are mounted.

mod mounting;

use std::sync::Arc;

use prowess::audit::{AuditEntry, MemoryLog};
use prowess::session::SessionHandle;
use prowess::{Layer, MemorySource, Policies, Runtime, ToolCall, ToolResult, Trust};
use prowess_testkit::Tree;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cases::data::read;

const SHELF: &str = include_str!("../data/virtual_shell.txt");

/// A runtime over a directory, memory and the program, with its audit in memory and one session.
struct Host {
    tree: Tree,
    runtime: Runtime,
    session: SessionHandle,
    log: Arc<MemoryLog>,
}

impl Host {
    fn new(yaml: &str) -> Self {
        Self::with(yaml, |_| ())
    }

    fn with(yaml: &str, change: impl FnOnce(&mut Policies)) -> Self {
        let policies = Policies::from_yaml(&format!("preset: sandbox\n{yaml}"));
        let mut policies = policies.expect("the policies are valid");
        policies.layers =
            vec![Layer::new("personal", Trust::Trusted), Layer::new("embedded", Trust::Trusted)];
        change(&mut policies);
        let tree = Tree::new(SHELF);
        let bytes: Vec<u8> = (0..=u8::MAX).collect();
        tree.write("skills/python-dev/assets/all", &bytes);
        let memory = MemorySource::builder("generated")
            .file("generated/SKILL.md", "---\nname: generated\ndescription: Is made.\n---\nBody\n")
            .file("generated/assets/all", bytes);
        let log = Arc::new(MemoryLog::default());
        let builder = Runtime::builder().policies(policies).audit(log.clone()).default_skills();
        let builder = builder.skills_directory("personal", tree.join("skills"));
        let builder = builder.source("personal", Arc::new(memory.build().expect("good paths")));
        let runtime = builder.build().expect("the policies fit together");
        let session = runtime.open_session().expect("the store is in memory");
        Self { tree, runtime, session, log }
    }

    fn call(&self, tool: &str, arguments: Value) -> ToolResult {
        let turn = self.runtime.turn(&self.session).expect("the session is open");
        turn.call(&ToolCall::new(tool, arguments)).result
    }

    /// Runs a command, and returns its result and the id of the sandbox.
    fn execute(&self, command: &str) -> (Value, Value) {
        let result = self.call("sandbox_execute", json!({ "command": command }));
        let mut value =
            result.structured.unwrap_or_else(|| panic!("`{command}`: {:?}", result.content));
        let sandbox = value.as_object_mut().and_then(|fields| fields.remove("sandbox"));
        (value, sandbox.expect("it has an id"))
    }
}

#[test]
fn model_gets_a_skill_and_runs_its_script() {
    let host = Host::new("");
    let got = host.call("get_skill", json!({ "skillName": "python-dev" })).structured;
    let got = got.expect("it is data");
    assert_eq!(got["mountPath"], "/.sandbox/skills/python-dev");
    let script = "/.sandbox/skills/python-dev/scripts/setup-venv.sh";
    let (ran, sandbox) = host.execute(&format!("sh {script} venv"));
    assert_eq!(ran, json!({ "exitCode": 0, "output": "Created venv", "error": "" }));
    let (found, _) = host.execute("cat /made/venv/pyvenv.cfg");
    assert_eq!(found["output"], "home = /usr/bin", "the session keeps what the script wrote");
    assert!(!host.tree.join("made").exists(), "nothing is written outside");
    let audited = host.log.entries().into_iter().find_map(|entry| match entry {
        AuditEntry::Call(event) => event.sandbox,
        _ => None,
    });
    assert_eq!(sandbox, json!(audited), "the audit has the id of the sandbox");
}

#[derive(Deserialize)]
struct Closed {
    reads: Vec<(String, String, Option<String>)>,
    runs: Vec<String>,
}

#[test]
fn one_rule_decides_about_tools_and_commands() {
    let Closed { reads, runs } = read(include_str!("virtual_shell/closed.yaml"));
    for (policy, file, reason) in &reads {
        let host = Host::new(&format!("tools: {{ {policy} }}"));
        let found = host.call("skills_read", json!({ "skill": "python-dev", "path": file }));
        let command = format!("cd /.sandbox/skills/python-dev && sed '' < {file}");
        let (ran, _) = host.execute(&command);
        let texts = [json!(found.content).to_string(), ran.to_string()];
        for text in texts.map(|text| text.replace('\\', "")) {
            let is_given = reason.as_ref().is_none_or(|reason| text.contains(reason));
            assert!(is_given, "{policy}, {file}: {text}");
        }
        assert_eq!(found.is_error, reason.is_some(), "{policy}, {file}: {found:?}");
        let refused = json!([format!(
            "{}: python-dev/{file}",
            json!(found.code).as_str().unwrap_or_default()
        )]);
        let of_command = reason.as_ref().map(|_| &refused);
        assert_eq!(ran.get("refusedReads"), of_command, "{policy}, {file}: {ran}");
        let calls = host.log.entries().into_iter().filter_map(|entry| match entry {
            AuditEntry::Call(it) => Some((it.error, it.outcome, it.intent.decision?.verdict)),
            _ => None,
        });
        let calls: Vec<_> = calls.collect();
        let [of_read, of_run] = calls.last_chunk().expect("two calls");
        let said = of_command.and_then(|refused| refused[0].as_str()).map(str::to_owned);
        assert_eq!(of_run.0, said, "the audit has it");
        let [counted, as_read] = [of_run, of_read].map(|it| (&it.1, it.2));
        assert_eq!(counted, as_read, "{policy}, {file}: as for the tool that reads");
        let turn = host.runtime.turn(&host.session).expect("the session is open");
        let explained = turn.explain("sandbox_execute", &json!({ "command": command }));
        let explained = explained.expect("the approvals are in memory").to_string();
        assert!(explained.contains("allow") && explained.contains("when it opens"), "{explained}");
        let script = "/.sandbox/skills/python-dev/scripts/setup-venv.sh";
        for run in &runs {
            let (ran, _) = host.execute(&run.replace('S', script));
            assert!(ran["output"].as_str().is_some_and(|it| it.starts_with("Created")), "{ran}");
            assert_eq!(
                ran.get("refusedReads"),
                None,
                "{policy}: the script runs by `{run}`: {ran}"
            );
            let is_closed = policy == "script_read: block";
            assert!(!(is_closed && ran.to_string().contains("mkdir")), "{run}: {ran}");
        }
    }
}

#[test]
fn skill_that_is_not_mounted_says_why() {
    let host = Host::with("", |policies| policies.shell.limits.files = 1);
    let got = host.call("get_skill", json!({ "skillName": "python-dev" })).structured;
    let got = got.expect("it is data");
    assert_eq!(got["mountPath"], Value::Null, "{got}");
    assert!(got["mountError"].to_string().contains("too many files"), "{got}");
    assert!(got["instructions"].to_string().contains("setup-venv"), "{got}");
}
