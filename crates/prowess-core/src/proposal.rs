//! The interface for proposals of updates.

use std::collections::BTreeMap;
use std::fmt;

use prowess_format::Code;
use prowess_text::{clipped, quoted};
use serde::{Deserialize, Serialize};

use crate::{Catalog, Digest, Timestamp};

/// Keeps proposals for updates of skills until somebody has reviewed them.
///
/// # Behavior
///
/// - A proposal changes no skill.
/// - Each proposal is kept under a name of its own, also if two are equal.
/// - After an error, nothing of the proposal is kept.
/// - `submit` may be called from any thread, also concurrently.
/// - `submit_checked` may refuse a proposal, and answers one that waits already with its name.
pub trait ProposalStore: Send + Sync {
    /// Keeps a proposal, and returns the name under which a reviewer finds it. The name contains no
    /// path of the host.
    ///
    /// # Errors
    ///
    /// Returns an error if the proposal is not kept.
    fn submit(&self, proposal: &Proposal<'_>) -> Result<String, ProposalError>;

    /// Keeps a proposal after it was compared with the package that it would change. By default,
    /// nothing is compared.
    ///
    /// # Errors
    ///
    /// Returns an error if the proposal is not kept, for example because its diff does not apply.
    fn submit_checked(
        &self,
        proposal: &Proposal<'_>,
        package: &ProposedPackage<'_>,
    ) -> Result<KeptProposal, ProposalError> {
        let _ = package;
        Ok(KeptProposal { name: self.submit(proposal)?, is_known: false })
    }
}

/// Where a proposal is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptProposal {
    /// The name under which a reviewer finds it.
    pub name: String,
    /// Whether the same change of the same package was waiting already, with its own reasons. Those
    /// of this one are not added.
    pub is_known: bool,
}

/// A person or an agent that proposes a change or decides on one. A name says nothing without its
/// kind: agents choose theirs, and could choose that of a person.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", content = "name", rename_all = "snake_case")]
pub enum Actor {
    /// A person, by the name that the host knows.
    Person(String),
    /// An agent that the host lets review, by the name in its policy.
    Reviewer(String),
    /// An agent, by the name that its client says.
    Agent(String),
    /// A session of an agent without a name.
    Session(String),
}

impl Actor {
    /// Returns `person`, `reviewer`, `agent` or `session`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Person(_) => "person",
            Self::Reviewer(_) => "reviewer",
            Self::Agent(_) => "agent",
            Self::Session(_) => "session",
        }
    }

    /// Returns the name, which is untrusted unless it is that of a person or a reviewer.
    pub fn name(&self) -> &str {
        let (Self::Person(name) | Self::Reviewer(name) | Self::Agent(name) | Self::Session(name)) =
            self;
        name
    }

    /// Returns whether both may be one: an agent that reviews may also be a client.
    pub fn may_be(&self, other: &Self) -> bool {
        let is_agent = |actor: &Self| matches!(actor, Self::Agent(_) | Self::Reviewer(_));
        self == other || (is_agent(self) && is_agent(other) && self.name() == other.name())
    }
}

/// Writes a person by name alone, and everything else with its kind and a quoted name.
impl fmt::Display for Actor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person(name) => formatter.write_str(&clipped(name, 120)),
            _ => write!(formatter, "{} {}", self.kind(), quoted(self.name())),
        }
    }
}

/// The package that a proposal would change.
#[derive(Clone, Copy, Debug)]
pub struct ProposedPackage<'a> {
    /// Its directory as an absolute path or URL.
    pub location: &'a str,
    /// The name of its instructions, such as `SKILL.md`.
    pub file: &'a str,
    /// Its files by path, as far as the proposer may read them.
    pub files: &'a PackageFiles,
    /// The proposer.
    pub proposer: &'a Actor,
    /// The session of the proposer, as logs name it ([`SessionId::log_name`]).
    ///
    /// [`SessionId::log_name`]: crate::SessionId::log_name
    pub session: Option<&'a str>,
    /// The catalog that has the skill.
    pub catalog: &'a Catalog,
}

/// The files of a package, by path.
pub type PackageFiles = BTreeMap<String, PackageFile>;

/// A file of a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackageFile {
    /// Its bytes.
    pub content: Vec<u8>,
    /// Whether it is executable, as far as its source knows.
    pub is_executable: bool,
}

/// A proposal for the update of a skill. Its texts are untrusted: a model wrote them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proposal<'a> {
    /// The id of the skill.
    pub skill: &'a str,
    /// The digest of the `SKILL.md` that the proposal was made for. Of another one, the proposal is
    /// out of date.
    pub base: Digest,
    /// The change, as a unified diff.
    pub diff: &'a str,
    /// The reason for the change.
    pub justification: &'a str,
    /// What was observed, such as the output of a run.
    pub evidence: Option<&'a str>,
    /// When the proposal was made.
    pub time: Timestamp,
}

/// The reason why a proposal is not kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ProposalError {
    /// The code for a tool result.
    pub code: Code,
    /// The reason and how to fix it, for the model. It contains no path of the host.
    pub message: String,
}

impl ProposalError {
    /// Creates an error.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}
