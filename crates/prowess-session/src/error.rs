//! The errors of this crate.

use prowess_core::{SessionError, SessionId, StoreError};

use crate::transfer::format::MAX_BYTES;

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
    StoreError::new(format!("a stored session cannot be read: {reason}"))
}

/// The reason why a session could not be imported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The text is too large.
    #[error("an exported session has {bytes} bytes and at most {MAX_BYTES} may be")]
    TooLarge {
        /// The size of the text.
        bytes: usize,
    },
    /// The text is not an exported session.
    #[error("this is not an exported session: {0}")]
    Invalid(String),
    /// The session comes from a later version of the format.
    #[error("the session was exported in version {0} of the format, and this host reads version 1")]
    Version(u32),
    /// The session could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
}

impl From<SessionError> for ImportError {
    fn from(error: SessionError) -> Self {
        Self::Open(error.into())
    }
}

impl From<OpenError> for SessionError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Session(error) => error,
            other => StoreError::new(other.to_string()).into(),
        }
    }
}
