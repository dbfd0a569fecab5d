//! The commands that did not end at their deadlines and still run.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use prowess_core::ShellError;
use prowess_text::counted;

use crate::codes;

/// The threads of commands that nothing waits for any more.
#[derive(Default)]
pub(crate) struct LostCommands(Mutex<Vec<Weak<()>>>);

/// Lives as long as the thread of a command.
pub(crate) struct CommandThread(Arc<()>);

impl CommandThread {
    /// Returns a mark, and its copy for the thread.
    pub(crate) fn new() -> (Self, Self) {
        let mark = Arc::new(());
        (Self(Arc::clone(&mark)), Self(mark))
    }
}

impl LostCommands {
    /// Counts a command that did not end in time until its thread ends.
    pub(crate) fn add(&self, command: &CommandThread) {
        let mut lost = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lost.push(Arc::downgrade(&command.0));
    }

    /// Refuses a further command while `most` lost ones still run.
    pub(crate) fn check(&self, most: usize) -> Result<(), ShellError> {
        let mut lost = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lost.retain(|command| command.strong_count() > 0);
        if lost.len() < most.max(1) {
            return Ok(());
        }
        let message = format!(
            "{} still running after the deadline, so no further one starts; \
             tell the user, and try again later",
            counted(lost.len(), "command")
        );
        Err(ShellError::new(codes::SHELL_EXHAUSTED, message))
    }
}
