//! Progress of scripts.

use std::sync::Arc;

use prowess::{MemorySource, Runtime};
use prowess_testkit::ShellRunner;
use serde_json::{Value, json};

use crate::block_on;
use crate::raw::Raw;

const SKILL: &str = "---\nname: count\ndescription: Counts. Use when counting.\n---\nCount.\n";

/// Runs the script of a skill, and returns the notifications before the result and the result.
async fn run(script: &str, meta: Value) -> (Vec<Value>, Value) {
    let source = MemorySource::builder("skills")
        .file("count/SKILL.md", SKILL)
        .file("count/scripts/count.sh", script)
        .build()
        .unwrap();
    let builder = Runtime::builder().policies(prowess_mcp::policies());
    let builder = builder.source("user", Arc::new(source)).script_runner(Arc::new(ShellRunner));
    let mut raw = Raw::greeted(Arc::new(builder.build().unwrap()), "2025-11-25").await;
    let load = json!({ "name": "skills_load", "arguments": { "names": ["count"] } });
    raw.request(json!(1), "tools/call", load).await;
    let arguments = json!({ "skill": "count", "path": "scripts/count.sh" });
    let params = json!({ "name": "skills_run", "arguments": arguments, "_meta": meta });
    raw.ask(json!(2), "tools/call", params).await;
    let mut notifications = Vec::new();
    loop {
        let message = raw.receive().await;
        if message["id"] == 2 {
            return (notifications, message["result"].clone());
        }
        if message["method"] == "notifications/progress" {
            notifications.push(message["params"].clone());
        }
    }
}

#[test]
fn lines_are_reported_before_the_result() {
    block_on(async {
        let script = "echo one; printf 'two\\033[31m\\n'";
        let (sent, result) = run(script, json!({ "progressToken": "t" })).await;
        assert_eq!(result["isError"], false, "{result}");
        assert_eq!(sent.len(), 2, "each line is a notification: {sent:?}");
        assert_eq!(sent[0], json!({ "progressToken": "t", "progress": 1.0, "message": "one" }));
        assert_eq!(sent[1]["progress"], 2.0);
        let message = sent[1]["message"].as_str().unwrap();
        assert!(message.starts_with("two") && !message.contains('\u{1b}'), "{message:?}");
    });
}

#[test]
fn nothing_is_reported_without_a_token() {
    block_on(async {
        let (sent, result) = run("echo one", json!({})).await;
        assert_eq!(result["isError"], false, "{result}");
        assert_eq!(sent, [] as [Value; 0], "the client did not ask");
    });
}

#[test]
fn many_lines_do_not_hold_the_call_up() {
    block_on(async {
        let script = "i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i + 1)); done";
        let (sent, result) = run(script, json!({ "progressToken": 7 })).await;
        assert_eq!(result["isError"], false, "{result}");
        assert!((1..=2000).contains(&sent.len()), "some lines may be left out: {}", sent.len());
        let counts: Vec<_> = sent.iter().map(|it| it["progress"].as_f64().unwrap()).collect();
        assert!(counts.is_sorted_by(|one, next| one < next), "progress increases");
    });
}
