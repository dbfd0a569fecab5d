//! The patterns of rules: `git:*` in `Bash(git:*)`.

mod command;
mod path;

pub use command::CommandPattern;
pub use path::PathPattern;
pub(crate) use path::plain_path;

/// Returns whether a pattern covers any arguments: `Bash(*)` is the same as `Bash`.
pub(crate) fn is_any(pattern: Option<&str>) -> bool {
    pattern.is_none_or(|pattern| pattern == "*")
}
