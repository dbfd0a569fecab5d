//! Approvals: the tool calls that a person allows, their duration, and the package content to which
//! they are bound.

use serde::{Deserialize, Serialize};

use crate::{Digest, SessionId, Timestamp};

/// A tool call that may run only after a person has approved it.
///
/// An approval is bound to it: another tool, other arguments, another content of the skill's
/// package or another tenant needs a separate approval. The arguments of a call that runs a script
/// include the rights that the policy gives scripts beyond the default.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ApprovalRequest {
    /// The tool's canonical name.
    pub tool: String,
    /// The arguments that are covered.
    pub arguments: ArgumentPattern,
    /// The id of the skill on whose behalf the call is made; `None` if no skill is active.
    pub skill: Option<String>,
    /// The digest of that skill's whole package, if the host could compute it.
    pub package: Option<Digest>,
    /// The tenant of the caller; `None` for hosts without tenants.
    pub tenant: Option<String>,
}

impl ApprovalRequest {
    /// Returns the size of its texts in bytes.
    pub fn size(&self) -> usize {
        let words = match &self.arguments {
            ArgumentPattern::CommandPrefix(words) => words.iter().map(String::len).sum(),
            ArgumentPattern::Any | ArgumentPattern::Exact(_) => 0,
        };
        let names = [Some(&self.tool), self.skill.as_ref(), self.tenant.as_ref()];
        words + names.into_iter().flatten().map(String::len).sum::<usize>()
    }
}

/// The arguments that an approval covers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ArgumentPattern {
    /// Any arguments.
    Any,
    /// Arguments with exactly this digest, of their canonical JSON: keys sorted, no white space.
    Exact(Digest),
    /// A shell command all of whose simple commands begin with these words.
    CommandPrefix(Vec<String>),
}

/// How often an approval may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalScope {
    /// One call, in one session.
    Once,
    /// Any number of calls, in one session.
    Session,
    /// Any number of calls, in every session of the tenant.
    Always,
}

/// The name of one pending or granted approval. It is random, but never a secret.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ApprovalId(String);

impl ApprovalId {
    /// Creates an id from a text that the host chooses, such as random hexadecimal digits.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for ApprovalId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// An approval that a person has granted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// Its id.
    pub id: ApprovalId,
    /// The request to which it is bound.
    pub request: ApprovalRequest,
    /// How often it may be used.
    pub scope: ApprovalScope,
    /// The only session that may use it, unless its scope is [`ApprovalScope::Always`].
    pub session: Option<SessionId>,
    /// The time at which it was granted.
    pub granted: Timestamp,
    /// The time from which on it no longer counts; `None` if it does not expire.
    pub expires: Option<Timestamp>,
}
