//! Reads generated frontmatters once, or decides on a command, for counting its instructions.
//!
//! `parse nothing|prowess-format|yaml_serde|DENIALS COUNT`

use std::process::ExitCode;

use benches::parsing::{by_serde_yaml, by_us, files};
use prowess_core::{SessionId, Timestamp};
use prowess_gate::{GateInput, GatedTool, ToolKind, decide};
use serde_json::json;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [reader, count] = arguments.as_slice() else { return ExitCode::from(2) };
    let Ok(count) = count.parse() else { return ExitCode::from(2) };
    let files = files(count);
    let length = match reader.as_str() {
        "nothing" => 0,
        "prowess-format" => by_us(&files),
        "yaml_serde" => by_serde_yaml(&files),
        denials => allowed(denials, count),
    };
    std::hint::black_box(length);
    ExitCode::SUCCESS
}

/// Decides so many times on a command under these denials, which commas divide.
fn allowed(denials: &str, count: usize) -> usize {
    let denials: Vec<_> = denials.split_terminator(',').collect();
    let policy = json!({"grant": ["Bash(git:*)"], "ceiling": {"deny": denials}});
    let policy = serde_json::from_value(policy).expect("they are patterns");
    let arguments = json!({"command": "git status"});
    let kind = ToolKind::by_name("Bash", &arguments);
    let session = SessionId::new("s").expect("it is an id");
    let input = GateInput {
        policy: &policy,
        tool: GatedTool { name: "Bash", aliases: &[], kind },
        arguments: &arguments,
        files: None,
        skills: &[],
        approvals: &[],
        session: &session,
        tenant: None,
        now: Timestamp(1),
        consent: None,
    };
    (0..count).filter(|_| decide(&input).is_allowed()).count()
}
