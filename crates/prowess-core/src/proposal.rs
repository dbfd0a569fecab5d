//! The interface for proposals of updates.

use std::collections::BTreeMap;

use prowess_format::Code;

use crate::{Digest, Timestamp};

/// Keeps proposals for updates of skills until somebody has reviewed them.
///
/// # Behavior
///
/// - A proposal changes no skill.
/// - Each proposal is kept under a name of its own, also if two are equal.
/// - After an error, nothing of the proposal is kept.
/// - `submit` may be called from any thread, also concurrently.
/// - `submit_checked` may refuse a proposal, and answer one that waits already with its name.
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
    ) -> Result<String, ProposalError> {
        let _ = package;
        self.submit(proposal)
    }
}

/// The package that a proposal would change.
#[derive(Clone, Copy, Debug)]
pub struct ProposedPackage<'a> {
    /// The name of its directory.
    pub directory: &'a str,
    /// The name of its instructions, such as `SKILL.md`.
    pub file: &'a str,
    /// Its files by path.
    pub files: &'a PackageFiles,
    /// The agent or person that makes the proposal, as the host names them.
    pub proposer: &'a str,
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
