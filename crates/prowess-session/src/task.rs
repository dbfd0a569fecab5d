//! The end of a task, at which no skill stays active.

use prowess_core::SessionError;

use crate::SessionHandle;

/// A task of a session. When it is dropped, every skill of the session is unloaded: also when the
/// task fails, and when it panics.
///
/// ```
/// # use std::sync::Arc;
/// # use prowess_session::{MemoryStore, SessionPolicy, Sessions};
/// # use prowess_testkit::ManualClock as HostClock;
/// # let store = Arc::new(MemoryStore::new());
/// # let sessions = Sessions::new(store, Arc::new(HostClock::default()), SessionPolicy::default());
/// let session = sessions.open()?;
/// {
///     let _task = session.task();
///     // … load skills, call tools, return early …
/// }
/// assert!(session.state()?.active.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a task that is dropped at once has ended"]
pub struct Task {
    /// The session, until the task has ended.
    session: Option<SessionHandle>,
}

impl SessionHandle {
    /// Starts a task, which unloads the skills of this session when it ends. The example
    /// `task_and_fork` of `examples/extension-points` has one.
    pub fn task(&self) -> Task {
        Task { session: Some(self.clone()) }
    }
}

impl Task {
    /// Ends the task and returns the number of skills that it unloads.
    ///
    /// # Errors
    ///
    /// The session is not open, or its store fails: the skills stay loaded.
    pub fn end(mut self) -> Result<usize, SessionError> {
        self.session.take().map_or(Ok(0), |session| end(&session))
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            // The error is in the trace: a drop cannot return it.
            drop(end(&session));
        }
    }
}

/// Unloads the skills of a session, and emits what happened.
fn end(session: &SessionHandle) -> Result<usize, SessionError> {
    let ended = session.end_task();
    match &ended {
        Ok(skills) => tracing::info!(
            target: "prowess",
            session = &*session.id().log_name(),
            skills,
            "task_end"
        ),
        // A closed session has no active skill.
        Err(SessionError::NotFound(_)) => return Ok(0),
        Err(error) => tracing::error!(
            target: "prowess",
            session = &*session.id().log_name(),
            error = error.code(),
            "task_end"
        ),
    }
    ended
}
