//! The stored record of a session: read, changed, and deleted at the end.

use std::sync::{Arc, PoisonError};

use prowess_core::{
    CallOrigin, ContentKey, DeactivationCause, SessionError, SessionState, StoreError,
    StoredSession,
};

use super::SessionHandle;
use crate::record::Record;
use crate::{identity, runs};

/// The number of attempts before a change fails with [`SessionError::Contended`]. Each failed
/// attempt means that another writer succeeded, so few are ever needed.
const MOST_ATTEMPTS: usize = 64;

/// The state before and after a change, and what the change returns.
pub(super) struct Change<T> {
    pub(super) before: SessionState,
    pub(super) after: SessionState,
    pub(super) outcome: T,
}

impl SessionHandle {
    /// Records this moment as the last use of the session and returns its state.
    ///
    /// # Errors
    ///
    /// As for [`Self::state`].
    pub fn touch(&self) -> Result<SessionState, SessionError> {
        let record = self.open_record()?;
        Ok(self.touched(&record)?.state.clone())
    }

    /// Replaces the state by the one that `next` returns. Retries when another writer was faster.
    pub(super) fn change<T>(
        &self,
        next: impl Fn(&SessionState) -> Result<(SessionState, T), SessionError>,
    ) -> Result<Change<T>, SessionError> {
        for _ in 0..MOST_ATTEMPTS {
            let record = self.open_record()?;
            let before = record.state.clone();
            let (mut after, outcome) = next(&before)?;
            after.active = runs::continued(&before.active, after.active);
            if after == before {
                let after = self.touched(&record)?.state.clone();
                return Ok(Change { before, after, outcome });
            }
            after.touched = self.shared.clock.now();
            after.version = before.version + 1;
            let expires = self.shared.policy.expiry(after.touched);
            let (operation, encoded) = (identity::operation()?, &self.shared.encoded);
            let changed = record.changed(after, operation, expires, &self.origin, encoded)?;
            let expected = Some(record.stored.operation);
            if self.shared.put(&changed.record.stored, &changed.new, expected)? {
                let after = self.see(changed.record).state.clone();
                return Ok(Change { before, after, outcome });
            }
        }
        Err(SessionError::Contended(self.id.clone()))
    }

    /// Records this moment as the last use of the session.
    fn touched(&self, record: &Record) -> Result<Arc<Record>, SessionError> {
        let now = self.shared.clock.now();
        let expires = self.shared.policy.expiry(now);
        if self.shared.store.touch(&self.id, now, expires)? {
            Ok(self.see(record.touched(now, expires)))
        } else {
            Err(self.not_found())
        }
    }

    /// Returns the record of the session. Deletes the session instead if it has expired.
    fn open_record(&self) -> Result<Arc<Record>, SessionError> {
        let record = self.unexpired_record();
        if let Err(SessionError::NotFound(_)) = record {
            // This only frees space, so the request does not fail with it.
            let _ = self.shared.expire_one(&self.id);
        }
        record
    }

    /// Returns the record of the session unless it has expired.
    pub(super) fn unexpired_record(&self) -> Result<Arc<Record>, SessionError> {
        let mut stored = self.unexpired()?;
        for _ in 0..MOST_ATTEMPTS {
            let operation = stored.operation;
            match self.record(stored) {
                Ok(record) => return Ok(record),
                // The texts of a session are gone as soon as another writer unloads them.
                Err(error) => {
                    stored = self.unexpired()?;
                    if stored.operation == operation {
                        return Err(error.into());
                    }
                }
            }
        }
        Err(SessionError::Contended(self.id.clone()))
    }

    fn unexpired(&self) -> Result<StoredSession, SessionError> {
        let stored = self.stored()?.filter(|stored| !self.shared.is_expired(stored));
        stored.ok_or_else(|| self.not_found())
    }

    /// Closes the session and deletes its state, whatever is stored. Returns whether it was open.
    ///
    /// # Errors
    ///
    /// The store fails.
    pub fn close(&self) -> Result<bool, StoreError> {
        for _ in 0..MOST_ATTEMPTS {
            let Some(last) = self.shared.store.load(&self.id)? else { return Ok(false) };
            if self.shared.is_expired(&last) {
                let _ = self.shared.expire_one(&self.id);
                return Ok(false);
            }
            if self.end(last)? {
                return Ok(true);
            }
        }
        Err(StoreError::new("the session was changed by others too often"))
    }

    /// Deletes the session if it is still the stored one, and reports the skills that were loaded.
    /// Returns whether it was deleted.
    fn end(&self, last: StoredSession) -> Result<bool, StoreError> {
        let operation = last.operation;
        // The texts are gone after the deletion.
        let record = self.record(last);
        let is_deleted = self.shared.store.delete(&self.id, operation)?;
        if let (true, Ok(record)) = (is_deleted, record) {
            // A host may close a session by its id alone.
            let is_named = *self.origin != CallOrigin::default();
            let origin = if is_named { &self.origin } else { &record.origin };
            let closed = DeactivationCause::SessionClosed;
            self.shared.runs(&self.id, origin).report(&record.state.active, &[], closed);
        }
        Ok(is_deleted)
    }

    fn stored(&self) -> Result<Option<StoredSession>, SessionError> {
        Ok(self.shared.store.load(&self.id)?)
    }

    fn record(&self, stored: StoredSession) -> Result<Arc<Record>, StoreError> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match seen.filter(|seen| seen.stored.operation == stored.operation) {
            Some(seen) if seen.stored.touched == stored.touched => Ok(seen),
            Some(seen) => Ok(self.see(seen.touched(stored.touched, stored.expires))),
            None => {
                let read = |keys: &[ContentKey]| self.shared.store.contents(keys);
                Ok(self.see(Record::decode(stored, read)?))
            }
        }
    }

    /// Keeps a record as the newest one.
    fn see(&self, record: Record) -> Arc<Record> {
        let record = Arc::new(record);
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&record));
        record
    }

    fn not_found(&self) -> SessionError {
        SessionError::NotFound(self.id.clone())
    }
}
