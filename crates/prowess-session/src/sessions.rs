//! Opens, resumes and closes sessions.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

use prowess_core::{
    AuditSink, Clock, Discipline, NoAudit, SessionError, SessionId, SessionScope, SessionState,
    SessionStore, SessionSummary, StoreError, Timestamp,
};

use crate::encoded::EncodedSkills;
use crate::runs::OnEnd;
use crate::shared::Shared;
use crate::{OpenError, SessionHandle, SessionPolicy, identity};

/// The sessions of one store. Clones share it.
#[derive(Clone)]
pub struct Sessions(pub(crate) Arc<Shared>);

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
        let (encoded, on_end) = (EncodedSkills::default(), OnceLock::new());
        Self(Arc::new(Shared { store, clock, policy, audit, encoded, on_end }))
    }

    /// Sets what receives the skills that are no longer loaded, whatever ended them: a call, a
    /// task, the session, its expiry, or a change of trust. By default nothing does, and a second
    /// receiver is ignored.
    #[must_use]
    pub fn on_end(self, on_end: OnEnd) -> Self {
        self.0.on_end.get_or_init(|| on_end);
        self
    }

    /// Opens a session under a new id of 128 random bits.
    ///
    /// # Errors
    ///
    /// The store cannot be written, or the system provides no random bytes.
    pub fn open(&self) -> Result<SessionHandle, OpenError> {
        self.open_with(identity::session()?)
    }

    /// Opens a session under an id that the host chooses.
    ///
    /// # Errors
    ///
    /// A session with this id is open, or the store cannot be written.
    pub fn open_with(&self, id: SessionId) -> Result<SessionHandle, OpenError> {
        let state = SessionState::new(id, self.0.clock.now());
        self.create(state)
    }

    /// Opens a session under a new id, which may load these skills only.
    ///
    /// # Errors
    ///
    /// As for [`Self::open`].
    pub fn open_allowing(&self, allowed: BTreeSet<String>) -> Result<SessionHandle, OpenError> {
        self.open_within(None, SessionScope { allowed: Some(allowed), ..SessionScope::default() })
    }

    /// Opens a session in which skills become active in this way, whatever the policy says: under
    /// the id that the host chooses, or else a new one.
    ///
    /// # Errors
    ///
    /// As for [`Self::open`].
    pub fn open_with_discipline(
        &self,
        discipline: Discipline,
        id: Option<SessionId>,
    ) -> Result<SessionHandle, OpenError> {
        let discipline = Some(discipline);
        self.open_within(id, SessionScope { discipline, ..SessionScope::default() })
    }

    fn open_within(
        &self,
        id: Option<SessionId>,
        scope: SessionScope,
    ) -> Result<SessionHandle, OpenError> {
        let id = id.map_or_else(identity::session, Ok)?;
        let state = SessionState::new(id, self.0.clock.now());
        self.create(SessionState { scope: Arc::new(scope), ..state })
    }

    pub(crate) fn create(&self, state: SessionState) -> Result<SessionHandle, OpenError> {
        let id = state.id.clone();
        self.0.create(state, &Arc::default())?;
        Ok(self.handle(&id))
    }

    /// Returns a handle of an open session. This counts as use of it. If skills are loaded, the
    /// audit receives their names: the program that loaded them may have been killed since.
    ///
    /// # Errors
    ///
    /// No session with this id is open, or the store fails.
    pub fn resume(&self, id: &SessionId) -> Result<SessionHandle, SessionError> {
        let handle = self.handle(id);
        handle.report_resumed(&handle.touch()?);
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
    /// again, deleted or not, so this only frees space. Where many have expired, a store may leave
    /// some to the next call.
    ///
    /// # Errors
    ///
    /// The store fails.
    pub fn expire(&self) -> Result<usize, StoreError> {
        self.0.expire()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// Returns a handle of a session, whether it is open or not. Nothing is read.
    pub fn handle(&self, id: &SessionId) -> SessionHandle {
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
