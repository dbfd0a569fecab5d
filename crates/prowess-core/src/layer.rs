//! Sources of one rank and one trust.

use serde::{Deserialize, Serialize};

/// How far a layer is trusted. Trust decides what a skill may do, never whether its text is escaped:
/// all text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// Never shadows a trusted skill, never grants a tool, never runs without approval.
    Untrusted,
    /// The user has to be asked before anything of it is done that only the operator may decide. What
    /// discovery finds of a project is not even offered before; what the host adds by itself is, as the
    /// host answers for it.
    Prompt,
    /// The operator's own.
    Trusted,
}

impl Trust {
    /// `untrusted`, `prompt` or `trusted`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Untrusted => "untrusted",
            Self::Prompt => "prompt",
            Self::Trusted => "trusted",
        }
    }
}

/// A named rank. Of two skills with one name, the one in the higher layer is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// The name that a user types, such as `project`.
    pub name: Box<str>,
    /// How far its sources are trusted.
    pub trust: Trust,
    /// What it counts beside other layers; the heavier is the higher. By default, the layer's place: 1
    /// for the lowest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<u16>,
}

impl Layer {
    /// A layer that weighs what its place says.
    pub fn new(name: impl Into<Box<str>>, trust: Trust) -> Self {
        Self { name: name.into(), trust, weight: None }
    }

    /// The same with a weight of its own.
    #[must_use]
    pub fn weighing(self, weight: u16) -> Self {
        Self { weight: Some(weight), ..self }
    }
}
