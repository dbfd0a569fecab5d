//! Opens, resumes and closes sessions.

use std::fmt;
use std::sync::Arc;

use prowess_core::{
    AuditSink, Clock, DeactivationCause, NoAudit, SessionError, SessionId, SessionState,
    SessionStore, StoreError,
};

use crate::shared::Shared;
use crate::{OpenError, SessionHandle, SessionPolicy, identity};

/// The sessions of one store. Clones share it.
#[derive(Clone)]
pub struct Sessions(Arc<Shared>);

impl Sessions {
    /// Creates the sessions that `store` holds and `policy` limits.
    pub fn new(store: Arc<dyn SessionStore>, clock: Arc<dyn Clock>, policy: SessionPolicy) -> Self {
        Self::audited(store, clock, policy, Arc::new(NoAudit))
    }

    /// As [`Self::new`], and reports to `audit` each skill that is loaded or no longer loaded.
    pub fn audited(
        store: Arc<dyn SessionStore>,
        clock: Arc<dyn Clock>,
        policy: SessionPolicy,
        audit: Arc<dyn AuditSink>,
    ) -> Self {
        Self(Arc::new(Shared { store, clock, policy, audit }))
    }

    /// Opens a session under a new id of 128 random bits.
    ///
    /// # Errors
    ///
    /// The store cannot be written, or the system provides no random bytes.
    pub fn open(&self) -> Result<SessionHandle, OpenError> {
        let id = identity::fresh().map_err(|error| OpenError::NoRandomness(error.to_string()))?;
        self.open_with(id)
    }

    /// Opens a session under an id that the host chooses.
    ///
    /// # Errors
    ///
    /// A session with this id is open, or the store cannot be written.
    pub fn open_with(&self, id: SessionId) -> Result<SessionHandle, OpenError> {
        let state = SessionState::new(id.clone(), self.0.clock.now());
        if !self.0.store.put(state.clone(), None)? && !self.replace_expired(state)? {
            return Err(OpenError::Exists(id));
        }
        Ok(SessionHandle::new(Arc::clone(&self.0), id))
    }

    /// Stores `state` over an expired one with its id; false if the session is open. Its version is
    /// higher than the expired one's, so a late writer of the expired session fails.
    fn replace_expired(&self, state: SessionState) -> Result<bool, StoreError> {
        match self.0.store.load(&state.id)? {
            Some(stored) if self.0.is_expired(&stored) => {
                let version = stored.version + 1;
                self.0.store.put(SessionState { version, ..state }, Some(stored.version))
            }
            Some(_) => Ok(false),
            None => self.0.store.put(state, None),
        }
    }

    /// Returns a handle of an open session. This counts as use of it.
    ///
    /// # Errors
    ///
    /// No session with this id is open, or the store fails.
    pub fn resume(&self, id: &SessionId) -> Result<SessionHandle, SessionError> {
        let handle = SessionHandle::new(Arc::clone(&self.0), id.clone());
        handle.touch()?;
        Ok(handle)
    }

    /// Closes a session and deletes its state. Returns false if no such session was open. Every
    /// operation on a remaining handle fails with [`SessionError::NotFound`].
    ///
    /// # Errors
    ///
    /// The store fails.
    pub fn close(&self, id: &SessionId) -> Result<bool, StoreError> {
        SessionHandle::new(Arc::clone(&self.0), id.clone()).end(DeactivationCause::SessionClosed)
    }

    /// Returns the policy of these sessions.
    pub fn policy(&self) -> &SessionPolicy {
        &self.0.policy
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Sessions({:?})", self.0.policy)
    }
}
