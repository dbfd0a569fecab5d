//! A source or a signer of installed skills that the user trusts, or a reviewed skill.

use serde::{Deserialize, Serialize};

/// A source or a signer that the user trusts, or a skill of an agent that the user has reviewed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustedOrigin {
    pub(crate) name: Box<str>,
    pub(crate) since: jiff::Timestamp,
}

impl TrustedOrigin {
    /// Returns the source or the signer, or the skill with the digest of its files.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the time at which it was trusted, as RFC 3339.
    pub fn since(&self) -> String {
        self.since.to_string()
    }
}
