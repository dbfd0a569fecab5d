//! A shell over files in memory: a model reads the instructions of a skill, runs its script and
//! finds what the script wrote. Nothing is written to the disk.
//!
//! `cargo run -p virtual-shell` prints the conversation.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use prowess::{Error, MemorySource, Policies, Runtime, ToolCall};
use serde_json::{Value, json};

const SKILL: &str = "---
name: minutes
description: Writes the minutes of a meeting. Use it after a meeting.
---
Run `scripts/minutes.sh TITLE`, then fill in /made/minutes.md.
";

const SCRIPT: &str = r##"#!/bin/bash
mkdir -p /made
sed "s/TITLE/$1/" "$(dirname "$0")/../assets/template.md" > /made/minutes.md
echo "Created /made/minutes.md"
"##;

/// Returns a runtime with one skill, by the preset `sandbox`.
fn runtime() -> Result<Runtime, Box<dyn std::error::Error>> {
    let source = MemorySource::builder("built-in")
        .file("minutes/SKILL.md", SKILL)
        .file("minutes/scripts/minutes.sh", SCRIPT)
        .file("minutes/assets/template.md", "# TITLE\n\n- Present:\n")
        .build()?;
    let policies = Policies::preset("sandbox")?;
    Ok(Runtime::builder().policies(policies).source("user", Arc::new(source)).build()?)
}

/// Makes the calls that a model makes, and returns their results.
fn conversation(runtime: &Runtime) -> Result<Vec<Value>, Error> {
    let session = runtime.open_session()?;
    let calls = [
        ("get_skill", json!({ "skillName": "minutes" })),
        (
            "sandbox_execute",
            json!({ "command": "sh /.sandbox/skills/minutes/scripts/minutes.sh Planning" }),
        ),
        ("sandbox_execute", json!({ "command": "echo '- Next: Friday' >> /made/minutes.md" })),
        ("sandbox_execute", json!({ "command": "cat /made/minutes.md" })),
    ];
    let mut results = Vec::new();
    for (tool, arguments) in calls {
        let answer = runtime.turn(&session)?.call(&ToolCall::new(tool, arguments));
        results.push(answer.result.structured.unwrap_or_default());
    }
    Ok(results)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for result in conversation(&runtime()?)? {
        println!("{result:#}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_of_the_skill_writes_a_file_in_memory() -> Result<(), Box<dyn std::error::Error>> {
        let results = conversation(&runtime()?)?;
        assert_eq!(results[0]["mountPath"], "/.sandbox/skills/minutes");
        assert_eq!(results[1]["output"], "Created /made/minutes.md");
        assert_eq!(results[3]["output"], "# Planning\n\n- Present:\n- Next: Friday");
        Ok(())
    }
}
