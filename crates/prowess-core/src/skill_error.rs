//! The errors of skills as one type, for hosts that match on them.

use std::fmt;

use prowess_text::terminal_line;
use serde::{Deserialize, Serialize};

/// The error of an operation on a skill.
///
/// Its text is `[CODE] message (key=value, …)`, as frameworks with one base class of exceptions
/// write it. The codes do not change; the message may. The example `typed_errors` of
/// `examples/extension-points` branches on it.
///
/// ```
/// use prowess_core::SkillError;
///
/// let error = SkillError::NotFound { skill: "pdf".to_owned() };
/// assert_eq!(error.to_string(), "[SKILL_NOT_FOUND] Skill 'pdf' not found (skill_name=pdf)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SkillError {
    /// No skill that the caller may load has this name.
    NotFound {
        /// The name as it was written.
        skill: String,
    },
    /// A `SKILL.md` is not valid.
    Parse {
        /// The file.
        path: String,
        /// The line, from 1, if the error is at one.
        line: Option<u32>,
        /// The column, from 1.
        column: Option<u32>,
        /// The reason.
        reason: String,
    },
    /// A loaded skill or the operator does not allow a call.
    ToolNotAllowed {
        /// The tool's name.
        tool: String,
        /// The skill that does not allow it; `None` if it is the operator.
        skill: Option<String>,
        /// The tools that are allowed, as rules of `allowed-tools`.
        allowed: Vec<String>,
        /// The message.
        message: String,
    },
    /// A skill cannot be loaded or unloaded.
    Activation {
        /// The skill's id.
        skill: String,
        /// The reason.
        reason: String,
    },
    /// A script may be run, but not read.
    ScriptRead {
        /// The skill's id.
        skill: String,
        /// The script's path in the package.
        path: String,
        /// The reason and the alternative.
        reason: String,
    },
    /// Any other failure.
    Other {
        /// The message.
        message: String,
        /// Further facts, by name.
        context: Vec<(String, String)>,
    },
}

impl SkillError {
    /// Returns the code, which never changes.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "SKILL_NOT_FOUND",
            Self::Parse { .. } => "SKILL_PARSE_ERROR",
            Self::ToolNotAllowed { .. } => "SKILL_TOOL_NOT_ALLOWED",
            Self::Activation { .. } => "SKILL_ACTIVATION_ERROR",
            Self::ScriptRead { .. } => "SKILL_SCRIPT_READ_ERROR",
            Self::Other { .. } => "SKILL_ERROR",
        }
    }

    /// Returns the message without the code and the context.
    pub fn message(&self) -> String {
        match self {
            Self::NotFound { skill } => format!("Skill '{}' not found", terminal_line(skill)),
            Self::Parse { path, reason, .. } => format!("Failed to parse {path}: {reason}"),
            Self::Activation { skill, reason } => {
                format!("Failed to activate skill '{}': {reason}", terminal_line(skill))
            }
            Self::ToolNotAllowed { message, .. } | Self::Other { message, .. } => message.clone(),
            Self::ScriptRead { reason, .. } => reason.clone(),
        }
    }

    /// Returns the facts about the error, by name.
    pub fn context(&self) -> Vec<(&str, String)> {
        match self {
            Self::NotFound { skill } => vec![("skill_name", skill.clone())],
            Self::Parse { path, line, column, .. } => {
                let number = |name, value: &Option<u32>| Some((name, (*value)?.to_string()));
                let place = [number("line", line), number("column", column)];
                [Some(("path", path.clone()))].into_iter().chain(place).flatten().collect()
            }
            Self::ToolNotAllowed { tool, skill, allowed, .. } => {
                let skill = skill.iter().map(|skill| ("skill_name", skill.clone()));
                let allowed = ("allowed_tools", format!("[{}]", allowed.join(", ")));
                [("tool_name", tool.clone())].into_iter().chain(skill).chain([allowed]).collect()
            }
            Self::Activation { skill, reason } => {
                vec![("skill_name", skill.clone()), ("reason", reason.clone())]
            }
            Self::ScriptRead { skill, path, .. } => {
                vec![("script_path", path.clone()), ("skill_name", skill.clone())]
            }
            Self::Other { context, .. } => {
                context.iter().map(|(name, value)| (name.as_str(), value.clone())).collect()
            }
        }
    }
}

impl fmt::Display for SkillError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "[{}] {}", self.code(), self.message())?;
        // A model's line break must not make a second error of one in a log.
        let fact = |(name, value): (_, String)| format!("{name}={}", terminal_line(&value));
        let facts: Vec<_> = self.context().into_iter().map(fact).collect();
        if facts.is_empty() { Ok(()) } else { write!(formatter, " ({})", facts.join(", ")) }
    }
}

impl std::error::Error for SkillError {}
