//! `allowed-tools`: which tool calls a skill speaks of.

use serde::{Deserialize, Serialize};

/// The field's three states. Absent and empty differ: what either means is the gate's policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AllowedTools {
    /// The field is not there.
    #[default]
    Absent,
    /// The field is there and names no tool.
    Empty,
    /// The tools that it names, in order.
    Rules(Vec<ToolRule>),
}

/// One tool, with a pattern for its argument where one was written: `Bash(git:*)`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolRule {
    /// The tool's name as it was written.
    pub tool: String,
    /// What stood between the brackets.
    pub pattern: Option<String>,
}
