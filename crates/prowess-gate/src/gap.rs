//! The reasons why rules that name a tool do not cover a call.

use std::fmt::{self, Display, Formatter};

use prowess_text::quoted;

use crate::{PatternError, Unreadable};

/// The reason why rules that name the tool do not cover a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// A pattern is of no form that is read.
    Pattern(PatternError),
    /// The command is not a list of literal words.
    Unreadable(Unreadable),
    /// No pattern covers this simple command.
    Command(Vec<String>),
    /// No pattern covers this path.
    Path(String),
    /// It is not certain which file this path leads to.
    Unknown(String),
    /// A pattern covers this path, but not the file that it leads to.
    File(String, String),
    /// The list of a skill does not reach this file.
    Outside(String),
    /// The words do not show what this program reaches.
    Obscure(String),
    /// An argument that patterns are about is missing, or is not a text.
    Missing(String),
    /// An argument may change what the command does.
    Further(String),
}

impl Display for Gap {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pattern(error) => write!(formatter, "the rule's pattern grants nothing: {error}"),
            Self::Unreadable(unreadable) => unreadable.fmt(formatter),
            Self::Command(words) => {
                write!(formatter, "no pattern covers {}", quoted(&words.join(" ")))
            }
            Self::Path(path) => write!(formatter, "no pattern covers the path {}", quoted(path)),
            Self::Unknown(path) => {
                let path = quoted(path);
                write!(formatter, "it is not certain which file the path {path} leads to")
            }
            Self::File(path, file) => {
                let (path, file) = (quoted(path), quoted(file));
                write!(formatter, "no pattern covers {file}, to which {path} leads")
            }
            Self::Outside(file) => {
                let file = quoted(file);
                write!(formatter, "{file} is outside of the skill and the working directory")
            }
            Self::Obscure(program) => {
                let program = quoted(program);
                write!(
                    formatter,
                    "{program} may reach outside of the skill and the working directory"
                )
            }
            Self::Missing(argument) => {
                write!(formatter, "the argument {} is missing or not a text", quoted(argument))
            }
            Self::Further(argument) => {
                let argument = quoted(argument);
                write!(formatter, "the argument {argument} may change what the command does")
            }
        }
    }
}
