//! The gate in the loop of an agent framework: what the `allowed-tools` of a loaded skill grant
//! runs, and a person is asked about the rest.
//!
//! `cargo run -p guarded-tools` lets a scripted model call the framework's shell.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

mod framework;

use std::sync::Arc;

use prowess::session::SessionHandle;
use prowess::{Error, MemorySource, Runtime, ToolCall, ToolResult};
use serde_json::{Value, json};

use framework::Agent;

const RELEASE: &str = "---
name: release
description: Makes releases. Use it when a version is published.
allowed-tools: Bash(git:*)
---
Tag the commit, then push the tag.
";

/// Stands for a shell.
fn shell(arguments: &Value) -> String {
    format!("ran {}", arguments["command"])
}

/// Answers the calls of a model, each behind the gate.
fn answer(
    agent: &Agent,
    runtime: &Runtime,
    session: &SessionHandle,
    calls: &[(&str, Value)],
) -> Result<Vec<String>, Error> {
    agent.answer(calls, |name, arguments, run| {
        // These lines bind the gate to the framework.
        let call = ToolCall::new(name, arguments.clone());
        let answer = runtime.guard(session, &call, || ToolResult::text(run()))?;
        Ok(answer.result.texts().collect())
    })
}

/// Returns a runtime with one skill of a trusted layer.
fn runtime() -> Result<Runtime, Box<dyn std::error::Error>> {
    let source = MemorySource::builder("skills").file("release/SKILL.md", RELEASE).build()?;
    Ok(Runtime::builder().source("user", Arc::new(source)).build()?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = runtime()?;
    let session = runtime.open_session()?;
    let agent = Agent::default().tool("Bash", shell);
    let load = ToolCall::new("skills_load", json!({ "names": ["release"] }));
    runtime.turn(&session)?.call(&load);
    let calls = ["git tag v1", "git push && rm -r build"]
        .map(|command| ("Bash", json!({ "command": command })));
    for text in answer(&agent, &runtime, &session, &calls)? {
        println!("{text}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use prowess::{
        ApprovalDecision, ApprovalScope, ApprovalStoreExt as _, ApprovalVerdict, Timestamp,
    };

    use super::*;

    #[test]
    fn granted_commands_run_and_others_wait() -> Result<(), Box<dyn std::error::Error>> {
        let runtime = runtime()?;
        let session = runtime.open_session()?;
        let agent = Agent::default().tool("Bash", shell);
        let bash = |command: &str| {
            let calls = [("Bash", json!({ "command": command }))];
            answer(&agent, &runtime, &session, &calls).map(|texts| texts.concat())
        };
        assert!(bash("git tag v1")?.contains("a person has to approve"), "no skill is loaded");
        let load = ToolCall::new("skills_load", json!({ "names": ["release"] }));
        assert!(!runtime.turn(&session)?.call(&load).result.is_error);
        assert_eq!(bash("git tag v1")?, "ran \"git tag v1\"");
        assert!(bash("git tag v1; rm -r build")?.contains("a person has to approve"));
        Ok(())
    }

    #[test]
    fn approved_command_runs_once() -> Result<(), Box<dyn std::error::Error>> {
        let runtime = runtime()?;
        let session = runtime.open_session()?;
        let call = ToolCall::new("Bash", json!({ "command": "rm -r build" }));
        let remove = || runtime.guard(&session, &call, || ToolResult::text("removed"));
        let pending = remove()?.approval.expect("a person is asked");
        let verdict = ApprovalVerdict::Grant { scope: ApprovalScope::Once, expires: None };
        let decision = ApprovalDecision { verdict, by: "ann".to_owned(), at: Timestamp(0) };
        runtime.approvals().decide(&pending, &decision)?;
        assert!(!remove()?.result.is_error);
        assert!(remove()?.result.is_error, "the approval is spent");
        Ok(())
    }
}
