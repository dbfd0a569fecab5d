//! The skills of a task end with it, however it ends. A skill that asks for a session of its own
//! gets a child, which the host may run with another model.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use prowess::{ForkRequest, MemorySource, Runtime, SessionError, SessionHandle, ToolCall};
use serde_json::json;

const RESEARCH: &str = "---
name: research
description: Researches a question. Use it for long searches.
context: fork
model: small
---
Read widely, report briefly.
";

fn active(session: &SessionHandle) -> Result<Vec<String>, SessionError> {
    Ok(session.state()?.active.iter().map(|skill| skill.id.clone()).collect())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source = MemorySource::builder("shelf").file("research/SKILL.md", RESEARCH).build()?;
    let runtime = Runtime::builder().source("user", Arc::new(source)).build()?;
    let session = runtime.open_session()?;
    let task = session.task();
    let load = ToolCall::new("skills_load", json!({ "names": ["research"] }));
    runtime.turn(&session)?.call(&load);

    let state = session.state()?;
    let request = ForkRequest::for_skill(state.active.first().ok_or("it is loaded")?);
    println!("fork: {}, model: {:?}", request.preference.fork, request.preference.model);
    let child = session.fork(&request)?;
    println!("the child has {:?}", active(&child)?);

    println!("the task unloads {}", task.end()?);
    println!("the parent has {:?}, the child {:?}", active(&session)?, active(&child)?);
    Ok(())
}
