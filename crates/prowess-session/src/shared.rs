//! The state that all sessions of one store share.

use std::sync::{Arc, OnceLock};

use prowess_core::{
    AuditSink, CallOrigin, Clock, DeactivationCause, OperationId, PutOutcome, RemovedSession,
    SessionId, SessionState, SessionStore, StoreError, StoredContent, StoredSession,
};

use crate::encoded::EncodedSkills;
use crate::record::{Changed, Record, was_stored};
use crate::runs::{OnEnd, Runs};
use crate::{OpenError, SessionPolicy, identity};

/// The number of calls for one `put` that gets no answer.
const MOST_CALLS: usize = 3;

pub(crate) struct Shared {
    pub(crate) store: Arc<dyn SessionStore>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) policy: SessionPolicy,
    pub(crate) audit: Arc<dyn AuditSink>,
    pub(crate) encoded: EncodedSkills,
    pub(crate) on_end: OnceLock<OnEnd>,
}

impl Shared {
    /// Returns whether the session was unused for longer than its policy allowed.
    pub(crate) fn is_expired(&self, stored: &StoredSession) -> bool {
        stored.expires.is_some_and(|expires| self.clock.now() >= expires)
    }

    /// Stores a new session. If there is a limit, this evicts the least recently used one.
    pub(crate) fn create(
        &self,
        state: SessionState,
        origin: &Arc<CallOrigin>,
    ) -> Result<(), OpenError> {
        let id = state.id.clone();
        let expires = self.policy.expiry(self.clock.now());
        let operation = identity::operation()?;
        let mut created = Record::create(state, operation, expires, origin, &self.encoded)?;
        if !self.put(&created.record.stored, &created.new, None)?
            && !self.replace_expired(&mut created)?
        {
            return Err(OpenError::Exists(id));
        }
        if let Some(most) = self.policy.max_sessions {
            let evicted = self.store.evict(most.get(), &id)?;
            self.report_removed(evicted, DeactivationCause::SessionEvicted);
        }
        Ok(())
    }

    /// Stores a new session instead of an expired one with its id; false if the session is open.
    /// Its version is higher than the expired one's, so that each version of an id occurs once.
    fn replace_expired(&self, created: &mut Changed) -> Result<bool, StoreError> {
        let Changed { record, new } = created;
        match self.store.load(&record.stored.id)? {
            Some(stored) if self.is_expired(&stored) => {
                self.expire_one(&record.stored.id)?;
                record.stored.version = stored.version + 1;
                self.put(&record.stored, new, None)
            }
            Some(_) => Ok(false),
            None => self.put(&record.stored, new, None),
        }
    }

    /// Deletes the expired sessions and returns their number. A store compares the expiry while it
    /// deletes, so a session that another host uses at this moment stays.
    pub(crate) fn expire(&self) -> Result<usize, StoreError> {
        let expired = self.store.expire_before(self.clock.now())?;
        let number = expired.len();
        self.report_removed(expired, DeactivationCause::SessionExpired);
        Ok(number)
    }

    /// Deletes one session if it has expired.
    pub(crate) fn expire_one(&self, id: &SessionId) -> Result<(), StoreError> {
        let expired = self.store.expire_one(id, self.clock.now())?;
        self.report_removed(expired, DeactivationCause::SessionExpired);
        Ok(())
    }

    /// Reports the skills that were loaded in deleted sessions. A session that cannot be decoded
    /// has none that are known.
    fn report_removed(&self, removed: Vec<RemovedSession>, cause: DeactivationCause) {
        for RemovedSession { session, texts } in removed {
            let Ok(record) = Record::decode(session, |_| Ok(texts)) else { continue };
            let runs = self.runs(&record.state.id, &record.origin);
            runs.report(&record.state.active, &[], cause);
        }
    }

    /// Returns what reports the runs of one session.
    pub(crate) fn runs<'a>(
        &'a self,
        session: &'a SessionId,
        origin: &'a Arc<CallOrigin>,
    ) -> Runs<'a> {
        let Self { clock, audit, on_end, .. } = self;
        Runs { session, origin, clock: &**clock, audit: &**audit, on_end: on_end.get() }
    }

    /// Stores a session, and repeats the call if there was no answer. Returns whether it is stored
    /// or was stored before another writer changed it.
    pub(crate) fn put(
        &self,
        session: &StoredSession,
        new: &[StoredContent],
        expected: Option<OperationId>,
    ) -> Result<bool, StoreError> {
        let mut unanswered = None;
        for _ in 0..MOST_CALLS {
            match self.store.put(session, new, expected) {
                Ok(PutOutcome::Stored | PutOutcome::AlreadyStored) => return Ok(true),
                Ok(PutOutcome::Conflict) => return self.was_overwritten(session, unanswered),
                Err(error) => unanswered = Some(error),
            }
        }
        Err(unanswered.expect("each call failed"))
    }

    /// Returns whether a session was stored before another writer changed it: by a call without an
    /// answer, or by a copy of a call that arrived earlier. If nothing shows it, `unanswered` is
    /// the result.
    fn was_overwritten(
        &self,
        session: &StoredSession,
        unanswered: Option<StoreError>,
    ) -> Result<bool, StoreError> {
        let stored = self.store.load(&session.id)?;
        match stored.and_then(|stored| was_stored(session, &stored)) {
            Some(was_stored) => Ok(was_stored),
            None => unanswered.map_or(Ok(false), Err),
        }
    }
}
