//! A host that branches on one type of error, where a model reads a text and a code.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use extension_points::kitchen;
use prowess::{Error, Policies, SkillError, ToolCall, ToolResult};
use serde_json::json;

/// Returns what a framework does about the failure of a call.
fn next_step(error: &SkillError) -> String {
    match error {
        SkillError::NotFound { skill } => format!("search for {skill}"),
        SkillError::ToolNotAllowed { tool, .. } => format!("ask the person about {tool}"),
        other => format!("give up: {}", other.code()),
    }
}

fn main() -> Result<(), Error> {
    let policies = Policies::from_yaml("gate: { ceiling: { deny: [Bash] } }");
    let runtime = kitchen().policies(policies.expect("the policies are valid")).build()?;
    let turn = runtime.turn(&runtime.open_session()?)?;
    let coffee = ToolCall::new("skills_load", json!({ "names": ["coffee"] }));
    let shell = ToolCall::new("Bash", json!({ "command": "kettle --on" }));
    let failed = [turn.call(&coffee), turn.guard(&shell, || ToolResult::text("it boils"))];
    for error in failed.iter().filter_map(|answer| answer.result.error.as_deref()) {
        println!("{}: {}", error.code(), next_step(error));
    }
    Ok(())
}
