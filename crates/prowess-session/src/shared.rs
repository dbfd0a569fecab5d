//! The state that all sessions of one store share.

use std::sync::Arc;

use prowess_core::{
    AuditSink, Clock, OperationId, PutOutcome, SessionStore, StoreError, StoredContent,
    StoredSession, Timestamp,
};

use crate::record::was_stored;
use crate::{SessionPolicy, identity};

/// The number of calls for one `put` that gets no answer.
const MOST_CALLS: usize = 3;

pub(crate) struct Shared {
    pub(crate) store: Arc<dyn SessionStore>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) policy: SessionPolicy,
    pub(crate) audit: Arc<dyn AuditSink>,
}

impl Shared {
    /// Returns the expiry of a session that is used at `now`.
    pub(crate) fn expiry(&self, now: Timestamp) -> Option<Timestamp> {
        self.policy.expiry(now)
    }

    /// Returns whether the session was unused for longer than its policy allowed.
    pub(crate) fn is_expired(&self, stored: &StoredSession) -> bool {
        stored.expires.is_some_and(|expires| self.clock.now() >= expires)
    }

    pub(crate) fn operation(&self) -> Result<OperationId, StoreError> {
        identity::operation()
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
                Ok(PutOutcome::Conflict) => {
                    return match unanswered {
                        Some(error) => self.was_overwritten(session, error),
                        None => Ok(false),
                    };
                }
                Err(error) => unanswered = Some(error),
            }
        }
        Err(unanswered.expect("each call failed"))
    }

    /// Returns whether a session was stored by a call without an answer, before another writer
    /// changed it. `error` is the result if nothing shows it.
    fn was_overwritten(
        &self,
        session: &StoredSession,
        error: StoreError,
    ) -> Result<bool, StoreError> {
        match self.store.load(&session.id)? {
            Some(stored) => was_stored(session, &stored).ok_or(error),
            None => Err(error),
        }
    }
}
