//! Opens, resumes and closes sessions.

use std::fmt;
use std::sync::Arc;

use prowess_core::{
    AuditSink, Clock, NoAudit, SessionError, SessionId, SessionState, SessionStore, SessionSummary,
    StoreError,
};

use crate::record::Record;
use crate::shared::Shared;
use crate::{OpenError, SessionHandle, SessionPolicy, identity};

/// The number of sessions that are listed at once to delete the expired ones.
const EXPIRED_PAGE: usize = 256;

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
        let now = self.0.clock.now();
        let state = SessionState::new(id.clone(), now);
        let record = Record::new(state, self.0.operation()?, self.0.expiry(now))?;
        if !self.0.put(&record.stored, &[], None)? && !self.replace_expired(record)? {
            return Err(OpenError::Exists(id));
        }
        if let Some(most) = self.0.policy.max_sessions {
            self.0.store.evict(most.get(), &id)?;
        }
        Ok(SessionHandle::new(Arc::clone(&self.0), id))
    }

    /// Stores a new session over an expired one with its id; false if the session is open. Its
    /// version is higher than the expired one's, so that each version of an id occurs once.
    fn replace_expired(&self, mut record: Record) -> Result<bool, StoreError> {
        match self.0.store.load(&record.stored.id)? {
            Some(stored) if self.0.is_expired(&stored) => {
                record.stored.version = stored.version + 1;
                self.0.put(&record.stored, &[], Some(stored.operation))
            }
            Some(_) => Ok(false),
            None => self.0.put(&record.stored, &[], None),
        }
    }

    /// Returns a handle of an open session. This counts as use of it.
    ///
    /// # Errors
    ///
    /// No session with this id is open, or the store fails.
    pub fn resume(&self, id: &SessionId) -> Result<SessionHandle, SessionError> {
        let handle = self.handle(id);
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
        self.handle(id).close()
    }

    /// Returns one page of the stored sessions in the order of their ids: at most `limit`, those
    /// after `after`. Expired ones are among them until [`Self::expire`] deletes them.
    ///
    /// # Errors
    ///
    /// The store fails.
    pub fn list(
        &self,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionSummary>, StoreError> {
        self.0.store.list(after, limit)
    }

    /// Deletes the expired sessions and returns their number. An expired session is never used
    /// again, deleted or not, so this only frees space.
    ///
    /// # Errors
    ///
    /// The store fails.
    pub fn expire(&self) -> Result<usize, StoreError> {
        let mut expired = 0;
        let mut after = None;
        loop {
            let page = self.0.store.list(after.as_ref(), EXPIRED_PAGE)?;
            let Some(last) = page.last() else { break };
            after = Some(last.id.clone());
            let now = self.0.clock.now();
            let is_expired =
                |summary: &&SessionSummary| summary.expires.is_some_and(|at| at <= now);
            for summary in page.iter().filter(is_expired) {
                expired += usize::from(self.handle(&summary.id).end_expired()?);
            }
        }
        Ok(expired + self.0.store.expire_before(self.0.clock.now())?)
    }

    fn handle(&self, id: &SessionId) -> SessionHandle {
        SessionHandle::new(Arc::clone(&self.0), id.clone())
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
