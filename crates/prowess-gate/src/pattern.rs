//! The patterns of rules, compared with calls.

mod command;
mod path;

pub(crate) use command::{is_own, may_match};
pub(crate) use path::{Paths, is_elsewhere, is_glob};

use prowess_format::tool_pattern::PatternKind;

use crate::{GatedSkill, PatternError, ToolKind};

/// Returns whether a pattern covers any arguments: `Bash(*)` is the same as `Bash`.
pub(crate) fn is_any(pattern: Option<&str>) -> bool {
    pattern.is_none_or(|pattern| pattern == "*")
}

/// Returns why a pattern of a tool of this kind grants nothing.
pub(crate) fn problem(pattern: &str, kind: ToolKind<'_>) -> Option<PatternError> {
    match kind {
        ToolKind::Shell { .. } => PatternKind::Command.problem(pattern),
        ToolKind::File { .. } => PatternKind::Path.problem(pattern),
        ToolKind::SkillOperation | ToolKind::Other => {
            (!is_any(Some(pattern))).then_some(PatternError::NoArgument)
        }
    }
}

/// Returns the directory of a skill, if it is on disk.
pub(crate) fn directory<'s>(skill: &GatedSkill<'s>) -> Option<&'s str> {
    let directory = skill.location.rsplit_once('/')?.0;
    directory.starts_with('/').then_some(directory)
}
