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
