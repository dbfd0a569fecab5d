//! The fixed texts of a prompt about skills, and which of them a model gets.

mod family;
mod paths;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use family::{BlockPolicy, ModelFamily};
pub use paths::resolve_path;

prowess_core::declare_kinds! {
    /// A fixed text about skills. It is in a prompt only if there is a skill.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum Block {
        /// A skill is loaded before it is used.
        BaseRule = "base_rule",
        /// A skill is used by reading its file with a tool of the host, where no tool loads skills.
        FileReading = "file_reading",
        /// How a loaded skill is used: its documents are read, its scripts are run.
        Navigation = "navigation",
        /// Which paths are absolute, which are URLs, and which are relative to a skill.
        PathRules = "path_rules",
        /// The path rules with three worked examples, for models that do not infer them.
        PathResolution = "path_resolution",
        /// Scripts are run and never read, and why.
        ScriptExecution = "script_execution",
        /// Calls of the tools `Read`, `Bash` and `Skill` as JSON.
        ToolCallingExamples = "tool_calling_examples",
        /// Of two loaded skills in conflict, the later one takes precedence.
        Precedence = "precedence",
        /// The skills are checked before a complex task.
        CheckFirst = "check_first",
    }
}

/// Where a block's text has the name of the tool that loads skills.
const LOAD_TOOL: &str = "{load_tool}";

impl Block {
    /// Returns the text, for a tool of this name that loads skills.
    pub fn text(self, load_tool: &str) -> Cow<'static, str> {
        let text = self.template().trim_end();
        if text.contains(LOAD_TOOL) {
            return text.replace(LOAD_TOOL, load_tool).into();
        }
        text.into()
    }

    /// Returns the maximum number of bytes of the block's text with a usual name of the tool.
    pub const fn max_bytes(self) -> usize {
        match self {
            Self::BaseRule => 300,
            Self::FileReading => 450,
            Self::Navigation => 550,
            Self::PathRules => 300,
            Self::PathResolution => 1_000,
            Self::ScriptExecution => 550,
            Self::ToolCallingExamples => 400,
            Self::Precedence => 150,
            Self::CheckFirst => 100,
        }
    }

    fn template(self) -> &'static str {
        match self {
            Self::BaseRule => include_str!("blocks/base_rule.txt"),
            Self::FileReading => include_str!("blocks/file_reading.txt"),
            Self::Navigation => include_str!("blocks/navigation.txt"),
            Self::PathRules => include_str!("blocks/path_rules.txt"),
            Self::PathResolution => include_str!("blocks/path_resolution.txt"),
            Self::ScriptExecution => include_str!("blocks/script_execution.txt"),
            Self::ToolCallingExamples => include_str!("blocks/tool_calling_examples.txt"),
            Self::Precedence => include_str!("blocks/precedence.txt"),
            Self::CheckFirst => include_str!("blocks/check_first.txt"),
        }
    }
}
