//! The errors of this crate.

use std::fmt;

/// The reason why a pattern is of no form that is read. Its rule grants nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternError {
    /// There is no text, or no word before `:*`.
    Empty,
    /// A `*` that is not the last thing of a command pattern, such as `git*`.
    Wildcard,
    /// A character that a word of a pattern must not have, such as a quote or `$`.
    Character,
    /// A path with `..`, or one of several slashes in a row.
    Path,
    /// The tool has no argument that patterns are about.
    NoArgument,
}

impl fmt::Display for PatternError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Empty => "it names no command",
            Self::Wildcard => "its `*` is not at the end, after `:` or a blank",
            Self::Character => "it has a character that is not a part of a plain word",
            Self::Path => "it is not a plain path",
            Self::NoArgument => "no argument of this tool can be compared with it",
        })
    }
}
