//! The answers to a tool's questions about the conversation that it is called in.
//!
//! A plugin sees what the caller of the call can find: other audiences' skills have no name in its
//! catalog, and only files of skills that this caller may load are read for it, or of those that
//! the conversation has loaded.

mod answer;
mod mailbox;
mod snapshot;
#[cfg(test)]
mod tests;

use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::OnceLock;

use prowess_core::{ActiveSkill, Session};
use prowess_plugin_abi::AbiError;

pub(crate) use answer::Conversation;
pub(crate) use mailbox::{Closing, Mailbox};

/// Answers the questions of one call.
pub(crate) trait Answer {
    /// Answers a question, which is JSON.
    fn answer(&self, question: &str) -> Result<Vec<u8>, AbiError>;
}

/// How a call shows its conversation to the plugin.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    /// The number of the pinned catalog.
    pub(crate) catalog: u64,
    /// The secret for the tags around bodies.
    pub(crate) boundary: &'a str,
    /// The number of the session's state, as far as that is known.
    pub(crate) state: Option<u64>,
    pub(crate) answers: Answers<'a>,
}

/// The thread that answers the questions of a call.
#[derive(Clone, Copy)]
pub(crate) enum Answers<'a> {
    /// The thread of the caller, while it waits for the call.
    Caller(&'a dyn Answer),
    /// Whichever thread asks.
    AnyThread(&'a std::sync::Arc<dyn Answer + Send + Sync>),
}

/// Returns a number for the state of a session, so that a plugin asks for each state once. Equal
/// states have equal numbers in this process; others differ, as far as 64 bits can tell.
pub(crate) fn state_number(session: &dyn Session) -> Option<u64> {
    static KEYS: OnceLock<RandomState> = OnceLock::new();

    let state = session.state().ok()?;
    let mut hasher = KEYS.get_or_init(RandomState::new).build_hasher();
    (state.id.as_str(), state.version, state.created, state.touched).hash(&mut hasher);
    for skill in &state.active {
        let ActiveSkill { id, location, digest, loaded_at, .. } = &**skill;
        (id, location, digest, loaded_at).hash(&mut hasher);
    }
    Some(hasher.finish())
}
