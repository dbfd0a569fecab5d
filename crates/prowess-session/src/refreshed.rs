//! The outcome of replacing loaded skills by newer versions.

use prowess_core::{Digest, SessionState};

/// The state of a session after a refresh, and the skills that it replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refreshed {
    /// The state after the refresh.
    pub state: SessionState,
    /// The skills that have another content or other rules now, in the order of the state.
    pub replaced: Vec<ReplacedSkill>,
}

/// One loaded skill whose content was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedSkill {
    /// The skill's id.
    pub id: String,
    /// The digest of the `SKILL.md` that was loaded.
    pub before: Digest,
    /// The digest of the one that is loaded now.
    pub after: Digest,
}
