//! The reasons why a command is not a list of literal words.

use std::fmt;

use prowess_text::quoted;

/// The reason why a shell command could not be read as literal words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The kind of the reason.
    pub kind: UnreadableKind,
    /// The position in the command, counted in characters from 1, if it is one.
    pub character: Option<usize>,
}

impl Unreadable {
    pub(super) fn of(kind: UnreadableKind) -> Self {
        Self { kind, character: None }
    }
}

/// The kinds of what a shell command may have beyond literal words.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnreadableKind {
    /// Nothing to run.
    Empty,
    /// More than [`MAX_COMMAND_BYTES`](crate::MAX_COMMAND_BYTES).
    TooLong,
    /// More than [`MAX_SIMPLE_COMMANDS`](crate::MAX_SIMPLE_COMMANDS).
    TooManyCommands,
    /// A control character other than a line feed, or a tab between words.
    Control,
    /// A character that a reader cannot see, or a blank that is none to the shell.
    Invisible,
    /// A sign of another script outside of quotes that looks like `;`, `|`, `&`, `<`, `>`, `$` or a
    /// backtick. To the shell it is a letter of the word; to a reader of the command, and
    /// to a program that normalises it first, another command begins there.
    LookAlike,
    /// `$` or a backtick: a parameter, a substitution or arithmetic.
    Expansion,
    /// `<` or `>`: a redirection, a here-document or a process substitution.
    Redirection,
    /// `*`, `?` or `[`: a pattern of file names.
    FileNames,
    /// `~`: a home directory.
    Tilde,
    /// `{a,b}`: several words.
    Braces,
    /// `&`: a command in the background.
    Background,
    /// A variable is set.
    Assignment,
    /// A group, a loop, a condition, a function or another compound command.
    Compound,
    /// A quote that is not closed, or a `\` at the end.
    Unclosed,
    /// A builtin that evaluates its arguments or changes what later words mean.
    Builtin(String),
    /// Something else that is no list of simple commands.
    Syntax,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(formatter)?;
        match self.character {
            Some(character) => write!(formatter, " (character {character})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for UnreadableKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Empty => "the command is empty",
            Self::TooLong => "the command is too long to be checked",
            Self::TooManyCommands => "the command has too many parts to be checked",
            Self::Control => "the command has a control character",
            Self::Invisible => "the command has an invisible character",
            Self::LookAlike => "the command has a character that looks like an operator",
            Self::Expansion => "the command has an expansion or substitution",
            Self::Redirection => "the command has a redirection",
            Self::FileNames => "the command has a pattern of file names",
            Self::Tilde => "the command has a `~` that stands for a directory",
            Self::Braces => "the command has braces",
            Self::Background => "the command runs in the background",
            Self::Assignment => "the command sets a variable",
            Self::Compound => "the command has a compound command",
            Self::Unclosed => "the command has an unclosed quote",
            Self::Builtin(name) => {
                return write!(formatter, "the shell evaluates the arguments of {}", quoted(name));
            }
            Self::Syntax => "the command is not a list of simple commands",
        })
    }
}
