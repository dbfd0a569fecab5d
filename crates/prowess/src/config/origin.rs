//! The places that values come from.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

/// The place that a part of a configuration comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "name", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Origin {
    /// The default of the policy.
    Default,
    /// The program, which has another default.
    Program,
    /// The preset with this name.
    Preset(String),
    /// A text of the host, without a name.
    Text,
    /// A file of the operator.
    File(PathBuf),
    /// A file of the project.
    Project(PathBuf),
    /// The variable of the environment with this name.
    Variable(String),
    /// The option of the command line with this name.
    Option(String),
}

impl Origin {
    pub(super) fn is_project(&self) -> bool {
        matches!(self, Self::Project(_))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::Program => formatter.write_str("program"),
            Self::Preset(name) => write!(formatter, "preset {name}"),
            Self::Text => formatter.write_str("text"),
            Self::File(path) | Self::Project(path) => write!(formatter, "{}", path.display()),
            Self::Variable(name) => write!(formatter, "${name}"),
            Self::Option(name) => formatter.write_str(name),
        }
    }
}
