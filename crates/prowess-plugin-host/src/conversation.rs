//! Answers a plugin tool's questions about the catalog and the session of its call.
//!
//! A plugin has the access of the call's caller: its catalog omits skills of other audiences, and
//! it can only read files of skills that the caller may load or that the session has loaded.

mod answer;
mod lease;
mod snapshot;
#[cfg(test)]
mod tests;

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::OnceLock;

use hashbrown::DefaultHashBuilder;
use prowess_core::{ActiveSkill, Session};
use prowess_plugin_abi::AbiError;

pub(crate) use answer::Conversation;
pub(crate) use lease::{AnswersLease, LentAnswers};

/// Answers the questions of one call.
pub(crate) trait Answer {
    /// Answers a question in JSON.
    fn answer(&self, question: &str) -> Result<Vec<u8>, AbiError>;
}

/// The conversation that a call shows to the plugin.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    /// The number of the pinned catalog.
    pub(crate) catalog: u64,
    /// The secret boundary of the tags around skill bodies.
    pub(crate) boundary: &'a str,
    /// The number of the session's state; `None` if the state cannot be read.
    pub(crate) state: Option<u64>,
    /// Answers the plugin's questions, on the thread that asks.
    pub(crate) answers: &'a (dyn Answer + Sync),
}

/// Returns a hash of a session's state, so that a plugin requests each state once. Equal states
/// have equal hashes within this process.
pub(crate) fn state_number(session: &dyn Session) -> Option<u64> {
    static KEYS: OnceLock<DefaultHashBuilder> = OnceLock::new();

    let state = session.state().ok()?;
    let mut hasher = KEYS.get_or_init(DefaultHashBuilder::default).build_hasher();
    (state.id.as_str(), state.version, state.created, state.touched).hash(&mut hasher);
    for skill in &state.active {
        let ActiveSkill { id, location, digest, loaded_at, .. } = &**skill;
        (id, location, digest, loaded_at).hash(&mut hasher);
    }
    Some(hasher.finish())
}
