//! The patterns of rules: `git:*` in `Bash(git:*)`.

mod builtins;
mod command;
mod error;
mod path;
mod prose;
mod reach;
mod url;
mod word;

pub use builtins::is_evaluating_builtin;
pub use command::CommandPattern;
pub use error::PatternError;
pub use path::{PathPattern, plain_path};
pub(crate) use prose::Prose;
pub(crate) use reach::is_outside;
pub use reach::{ProgramKind, covers_commands_outside};
pub use word::PatternWord;

use crate::ToolRule;
use crate::allowed_tools::is_plain;

/// The variable of a pattern that stands for the directory of the skill.
pub const SKILL_DIRECTORY: &str = "${CLAUDE_SKILL_DIR}";

/// The argument that the patterns of a well-known tool are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternKind {
    /// A shell command.
    Command,
    /// The path of a file.
    Path,
}

impl PatternKind {
    /// Returns the kind of a tool's patterns by its name, whose case does not matter; `None` for
    /// tools that are not known.
    pub fn of(tool: &str) -> Option<Self> {
        const SHELLS: [&str; 5] = ["bash", "sh", "shell", "run_shell_command", "sandbox_execute"];
        const FILES: [&str; 6] = ["read", "write", "edit", "read_file", "write_file", "edit_file"];
        let is_in = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(tool));
        match () {
            () if is_in(&SHELLS) => Some(Self::Command),
            () if is_in(&FILES) => Some(Self::Path),
            () => None,
        }
    }

    /// Returns why a pattern grants nothing; `None` if it grants something.
    pub fn problem(self, pattern: &str) -> Option<PatternError> {
        match self {
            _ if pattern == "*" => None,
            Self::Path => PathPattern::parse(pattern).err(),
            Self::Command if is_plain(pattern) => None,
            Self::Command => match CommandPattern::parse(pattern) {
                Ok(alternatives) => alternatives.iter().find_map(CommandPattern::problem),
                Err(error) => Some(error),
            },
        }
    }
}

/// Returns whether a rule has a name that no tool has, such as `*`, `Bash[git:*]`, `Bash:git`,
/// `Read;` or `all`, or that other clients have for all tools of an MCP server:
/// `mcp__server__*` and `mcp__server`.
pub fn names_no_tool(rule: &ToolRule) -> bool {
    let name = rule.tool.as_str();
    // Most rules name one of these.
    if PatternKind::of(name).is_some() {
        return false;
    }
    let of_server = name.strip_prefix("mcp__").is_some_and(|rest| !rest.contains("__"));
    let is_part = |letter: char| {
        letter.is_ascii_alphanumeric() || "_-./:@ ".contains(letter) || !letter.is_ascii()
    };
    let is_edge =
        |letter: char| !letter.is_ascii() || letter.is_ascii_alphanumeric() || letter == '_';
    let is_word = name.trim_start_matches('@').starts_with(is_edge) && name.ends_with(is_edge);
    // `edit/createFile` is a tool of some clients, and `Read/Write` of none.
    let (head, rest) = name.split_at(name.find([':', '/']).unwrap_or(name.len()));
    let is_argument = match rest.chars().next() {
        Some(':') => PatternKind::of(head).is_some(),
        Some(_) => ["Bash", "Read", "Write", "Edit"].contains(&head),
        None => head.contains(' '),
    };
    of_server || is_argument || !is_word || !name.chars().all(is_part) || Prose::of(name).is_some()
}

/// Returns whether a tool is one of those that clients have with one meaning, and of which no
/// argument is compared with a pattern.
fn has_no_patterns(tool: &str) -> bool {
    const TOOLS: [&str; 9] =
        ["Agent", "Glob", "Grep", "LS", "Skill", "Task", "TodoWrite", "WebFetch", "WebSearch"];
    tool.starts_with("mcp__") || TOOLS.contains(&tool)
}

/// Returns why a rule grants nothing; `None` if it grants something, or if its tool is not known.
pub(crate) fn problem(rule: &ToolRule) -> Option<PatternError> {
    if names_no_tool(rule) || !prowess_text::is_printable_ascii(&rule.tool) {
        return Some(PatternError::Tool);
    }
    let pattern = rule.pattern.as_deref()?;
    match PatternKind::of(&rule.tool) {
        Some(kind) => kind.problem(pattern),
        None if pattern != "*" && has_no_patterns(&rule.tool) => Some(PatternError::NoArgument),
        None => None,
    }
}
