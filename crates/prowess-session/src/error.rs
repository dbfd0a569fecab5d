//! The errors of opening a session.

use prowess_core::{SessionError, SessionId, StoreError};

/// The reason why a session could not be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The system provides no random bytes for an id.
    #[error("the system provided no random bytes for a session's id: {0}")]
    NoRandomness(String),
    /// A session with this id is open.
    #[error("session `{0}` is open already; resume it, or choose another id")]
    Exists(SessionId),
    /// The session that this one depends on cannot be used.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Returns the error of a stored session that cannot be read or written.
pub(crate) fn damaged(reason: &str) -> StoreError {
    StoreError(format!("a stored session cannot be read: {reason}"))
}
