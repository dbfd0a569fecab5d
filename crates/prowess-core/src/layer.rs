//! Layers: groups of sources with one rank and one trust level.

use serde::{Deserialize, Serialize};

/// The layer of directories in which agents write skills, each as `NAME/SKILL.md`. By default it is
/// below all others and untrusted. A skill is offered once the user has reviewed exactly its files
/// ([`FolderTrust::has_reviewed`](crate::FolderTrust::has_reviewed)), or at once if the policy of
/// the host says so, and there are quotas.
pub const AGENT_LAYER: &str = "agents";

prowess_text::declare_kinds! {
    /// The trust level of a layer, which decides what a skill may do. All text is escaped, whatever
    /// the trust level.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Trust {
        /// A skill never shadows a trusted one, never grants a tool and never runs without
        /// approval.
        Untrusted = "untrusted",
        /// The user has to approve everything that otherwise only the operator may decide. Skills
        /// that discovery finds in a project are not offered before; skills that the host adds
        /// itself are, because the host is responsible for them.
        #[serde(rename = "ask_first")]
        AskFirst = "ask_first",
        /// The operator's own skills.
        Trusted = "trusted",
    }
}

/// A named rank of sources. Of two skills with one name, the one in the higher layer is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// The name as users write it, such as `project`.
    pub name: Box<str>,
    /// The trust level of its sources.
    pub trust: Trust,
    /// The weight of the layer; a heavier layer is higher. By default, the layer's position,
    /// counted from 1 for the lowest. No key of a file: the order of a list is the rank.
    #[serde(skip)]
    pub weight: Option<u16>,
}

impl Layer {
    /// Creates a layer whose weight is its position.
    pub fn new(name: impl Into<Box<str>>, trust: Trust) -> Self {
        Self { name: name.into(), trust, weight: None }
    }

    /// Sets the weight.
    #[must_use]
    pub fn weighing(self, weight: u16) -> Self {
        Self { weight: Some(weight), ..self }
    }
}
