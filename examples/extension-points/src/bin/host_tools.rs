//! The questions of a host with tools of its own to a turn: which of them the loaded skills leave
//! possible, which directories they may read, and how long a tool of the runtime may take.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use prowess::{Policies, Runtime, ToolCall};
use serde_json::json;

const TEA: &str = "---
name: tea
description: Brews tea. Use when somebody is thirsty.
allowed-tools: Read Bash(kettle:*)
---
Warm the pot first.
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shelf = tempfile::tempdir()?;
    std::fs::create_dir(shelf.path().join("tea"))?;
    std::fs::write(shelf.path().join("tea/SKILL.md"), TEA)?;
    let policies = Policies::from_yaml("gate: { tool_semantics: restrict }")?;
    let runtime =
        Runtime::builder().policies(policies).skills_directory("user", shelf.path()).build()?;
    let session = runtime.open_session()?;
    let turn = runtime.turn(&session)?;
    println!("before: {:?}", turn.allowed_tools()?);
    turn.call(&ToolCall::new("skills_load", json!({ "names": ["tea"] })));
    println!("with tea: {:?}", turn.allowed_tools()?);
    for directory in turn.skill_directories()? {
        println!(
            "may be read: {}",
            directory.strip_prefix(shelf.path().canonicalize()?)?.display()
        );
    }
    let info = turn.tool_info("skills_load").ok_or("there is such a tool")?;
    println!("skills_load: {:?}, {:?} ms", info.tool_type, info.timeout_ms);
    Ok(())
}
