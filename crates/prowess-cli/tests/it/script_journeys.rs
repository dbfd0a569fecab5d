//! One skill whose script writes a file: from the command line, over the protocol, and by
//! the loop of an agent.

use std::path::Path;

use prowess::sandbox::Program as Stage;
use prowess::{Policies, Runtime, ToolCall};
use prowess_testkit::Tree;
use serde_json::{Value, json};

use crate::program::Program;
use crate::serve::{Client, words};

const FILES: &str = "
//- /skills/report/SKILL.md
---
name: report
description: Writes a report about a topic. Use it when the user wants a report.
---
Run `scripts/report.sh` with the topic and the path of the report.
//- /skills/report/scripts/report.sh
printf 'About %s.' \"$1\" > \"$2\"
echo \"wrote $2\"
//- /out/empty
//- /home/empty
";

/// The files, and a configuration that lets scripts write below `out`.
fn tree() -> Tree {
    let tree = Tree::new(FILES);
    let out = tree.join("out");
    tree.write("prowess.yaml", format!("scripts: {{ exec: tool, write: [{}] }}\n", out.display()));
    tree
}

fn program(tree: &Tree) -> Program {
    let program = Program::new().at_home_in(&tree.join("home"));
    program.config(&tree.join("prowess.yaml")).root("user", &tree.join("skills"))
}

#[track_caller]
fn check_report(file: &Path, topic: &str) {
    let text = std::fs::read_to_string(file).expect("the script has written its report");
    assert_eq!(text, format!("About {topic}."), "{}", file.display());
}

#[test]
fn command_line_writes_the_report() {
    let tree = tree();
    let file = tree.join("out/report.txt");
    let arguments = ["run", "report", "scripts/report.sh", "--", "rivers", file.to_str().unwrap()];
    let ran = program(&tree).run(&arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    check_report(&file, "rivers");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn client_of_the_protocol_writes_the_report() {
    let tree = tree();
    let client = Client::of(program(&tree)).await;
    client.call("skills_load", json!({ "names": ["report"] })).await;
    let file = tree.join("out/report.txt");
    let arguments = json!({
        "skill": "report", "path": "scripts/report.sh", "args": ["lakes", file],
    });
    let result = client.call("skills_run", arguments).await;
    assert_ne!(result.is_error, Some(true), "{}", words(&result));
    check_report(&file, "lakes");
    client.end().await;
}

/// A model that follows its prompt: it loads the skill that fits the task, and runs the script that
/// the instructions name.
fn next_call(prompt: &str, topic: &str, file: &Path) -> Option<ToolCall> {
    if file.exists() {
        return None;
    }
    if let Some((_, rest)) = prompt.split_once("Run `") {
        let (script, _) = rest.split_once('`').expect("the path ends");
        let arguments = json!({ "path": script, "args": [topic, file] });
        return Some(ToolCall::new("skills_run", arguments));
    }
    assert!(prompt.contains("Writes a report"), "the catalog offers the skill: {prompt}");
    Some(ToolCall::new("skills_load", json!({ "names": ["report"] })))
}

#[test]
fn loop_of_an_agent_writes_the_report() {
    let tree = tree();
    let yaml = std::fs::read_to_string(tree.join("prowess.yaml")).unwrap();
    let stage = Stage::new(env!("CARGO_BIN_EXE_prowess")).argument("sandbox-stage");
    let runtime = Runtime::builder()
        .policies(Policies::from_yaml(&yaml).unwrap())
        .skills_directory("user", tree.join("skills"))
        .sandboxed_scripts(stage, std::env::temp_dir())
        .build()
        .unwrap();
    let session = runtime.open_session().unwrap();
    let file = tree.join("out/report.txt");
    let mut calls = Vec::new();
    loop {
        let turn = runtime.turn(&session).unwrap();
        let Some(call) = next_call(&turn.prompt().text, "glaciers", &file) else { break };
        let result = turn.call(&call).result;
        assert!(!result.is_error, "{call:?}: {result:?}");
        if let Some(Value::Object(data)) = &result.structured
            && let Some(code) = data.get("exit_code")
        {
            assert_eq!(*code, 0, "{result:?}");
        }
        calls.push(call.name);
    }
    assert_eq!(calls, ["skills_load", "skills_run"], "one turn for each");
    check_report(&file, "glaciers");
}
