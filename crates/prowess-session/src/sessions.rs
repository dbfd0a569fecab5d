//! Opens, resumes and closes conversations.

use std::fmt;
use std::sync::Arc;

use prowess_core::{Clock, SessionError, SessionId, SessionState, SessionStore, StoreError};

use crate::{SessionHandle, SessionPolicy, identity};

/// The conversations of one store. Clones share it.
#[derive(Clone)]
pub struct Sessions(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) store: Arc<dyn SessionStore>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) policy: SessionPolicy,
}

/// Why a conversation could not begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The system gives no random bytes to make an id of.
    #[error("the system gave no random bytes for a session's id: {0}")]
    NoRandomness(String),
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Sessions {
    /// Conversations that live in `store` and follow `policy`.
    pub fn new(store: Arc<dyn SessionStore>, clock: Arc<dyn Clock>, policy: SessionPolicy) -> Self {
        Self(Arc::new(Shared { store, clock, policy }))
    }

    /// Begins a conversation under a new id of 128 random bits.
    ///
    /// # Errors
    ///
    /// The store cannot be written, or the system gives no random bytes.
    pub fn open(&self) -> Result<SessionHandle, OpenError> {
        let id = identity::fresh().map_err(|error| OpenError::NoRandomness(error.to_string()))?;
        let state = SessionState::new(id.clone(), self.0.clock.now());
        if !self.0.store.put(state, None)? {
            let message = format!("it refuses the new session `{id}`");
            return Err(StoreError(message).into());
        }
        Ok(SessionHandle::new(self.0.clone(), id))
    }

    /// Goes on with a conversation. This counts as use of it.
    ///
    /// # Errors
    ///
    /// It is over or was never begun, or the store fails.
    pub fn resume(&self, id: &SessionId) -> Result<SessionHandle, SessionError> {
        let handle = SessionHandle::new(self.0.clone(), id.clone());
        handle.read()?;
        Ok(handle)
    }

    /// Ends a conversation and forgets it; false if there was none. What still holds a handle of it is
    /// told that there is no such session.
    ///
    /// # Errors
    ///
    /// The store fails.
    pub fn close(&self, id: &SessionId) -> Result<bool, StoreError> {
        self.0.store.delete(id)
    }

    /// The rules of these conversations.
    pub fn policy(&self) -> &SessionPolicy {
        &self.0.policy
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Sessions({:?})", self.0.policy)
    }
}
