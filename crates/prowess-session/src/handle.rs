//! A handle of one session.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use prowess_core::{
    ActiveSkill, BodyDelivery, CallOrigin, ContentKey, DeactivationCause, LoadMode, LoadOutcome,
    LoadRequest, Receipt, Session, SessionError, SessionId, SessionScope, SessionState, StoreError,
    StoredSession, Unload,
};

use crate::ledger::{self, KeptDeliveries, Loaded};
use crate::record::Record;
use crate::refreshed::Refreshed;
use crate::runs::{self, Runs};
use crate::shared::Shared;
use crate::{identity, operations};

/// The number of attempts before a change fails with [`SessionError::Contended`]. Each failed
/// attempt means that another writer succeeded, so few are ever needed.
const MOST_ATTEMPTS: usize = 64;

/// A handle of one open session, which the store holds. Clones and other handles with the same id,
/// also in other processes, read and change the same session.
#[derive(Clone)]
pub struct SessionHandle {
    shared: Arc<Shared>,
    id: SessionId,
    origin: Arc<CallOrigin>,
    /// The newest record that was seen, so that an unchanged one is not decoded again.
    seen: Arc<Mutex<Option<Arc<Record>>>>,
}

/// The state before and after a change, and what the change returns.
struct Change<T> {
    before: SessionState,
    after: SessionState,
    outcome: T,
}

impl SessionHandle {
    pub(crate) fn new(shared: Arc<Shared>, id: SessionId) -> Self {
        Self { shared, id, origin: Arc::default(), seen: Arc::default() }
    }

    /// Returns a handle of the same session for calls of another agent, task, tenant or model. The
    /// audit events of its changes name them.
    #[must_use]
    pub fn with_origin(&self, origin: CallOrigin) -> Self {
        Self { origin: Arc::new(origin), ..self.clone() }
    }

    /// Returns the agent, task, tenant and model of this handle; none by default.
    pub fn origin(&self) -> &Arc<CallOrigin> {
        &self.origin
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Returns the id of the session.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// Returns the state. This writes nothing and does not count as use of the session.
    ///
    /// # Errors
    ///
    /// The session is not open, or its store fails.
    pub fn state(&self) -> Result<SessionState, SessionError> {
        Ok(self.unexpired_record()?.state.clone())
    }

    /// Loads skills, whose bodies are in the instructions. The change is atomic, also with other
    /// threads and processes.
    ///
    /// # Errors
    ///
    /// As for [`Self::activate`].
    pub fn load(
        &self,
        skills: &[Arc<ActiveSkill>],
        mode: LoadMode,
    ) -> Result<Receipt, SessionError> {
        Ok(self.activate(&ledger::in_instructions(skills, mode))?.receipt)
    }

    /// Loads skills, and returns the bodies that the context of the model does not have. The change
    /// is atomic, also with other threads and processes.
    ///
    /// # Errors
    ///
    /// More skills would be loaded than the policy allows, the policy or the scope of the session
    /// refuses one, or as for [`Self::state`].
    pub fn activate(&self, request: &LoadRequest<'_>) -> Result<LoadOutcome, SessionError> {
        let policy = &self.shared.policy;
        let change = self.change(|before| {
            let Loaded { state, outcome } = ledger::load(before, request, policy)?;
            Ok((state, outcome))
        })?;
        self.report(&change, DeactivationCause::Replaced);
        Ok(change.outcome)
    }

    /// Binds skills to the session, such as those that its agent uses: they are active until they
    /// are revoked or the session ends, and their bodies are in the instructions. `generation` is
    /// that of the catalog that they are from.
    ///
    /// # Errors
    ///
    /// As for [`Self::activate`].
    pub fn bind(
        &self,
        skills: &[Arc<ActiveSkill>],
        generation: u64,
    ) -> Result<SessionState, SessionError> {
        let policy = &self.shared.policy;
        let change =
            self.change(|before| Ok((ledger::bind(before, skills, generation, policy)?, ())))?;
        self.report(&change, DeactivationCause::Replaced);
        Ok(change.after)
    }

    /// Unloads skills, except those that are bound to the session. A skill that is not loaded is
    /// ignored.
    ///
    /// # Errors
    ///
    /// The session is a stack and a skill lies below one that stays, or as for [`Self::state`].
    pub fn unload(&self, which: &Unload) -> Result<Receipt, SessionError> {
        let discipline = self.shared.policy.discipline;
        let change = self.change(|before| {
            let active = operations::unload(&before.active, which, discipline)?;
            Ok((ledger::with_active(before, ledger::with_bound(before, active)), ()))
        })?;
        self.report(&change, DeactivationCause::Unloaded);
        Ok(Receipt::from(&change.after))
    }

    /// Unloads every skill at the end of a task, also in a stack, except those that are bound to
    /// the session. Returns their number.
    ///
    /// # Errors
    ///
    /// As for [`Self::state`].
    pub fn end_task(&self) -> Result<usize, SessionError> {
        let change = self.change(|before| {
            let bound = ledger::with_bound(before, Vec::new());
            Ok((ledger::with_active(before, bound), ()))
        })?;
        self.report(&change, DeactivationCause::TaskCompleted);
        Ok(change.before.active.len() - change.after.active.len())
    }

    /// Unloads the skills that `is_revoked` accepts, whatever their position, such as those whose
    /// digest or trust has changed. Returns them.
    ///
    /// # Errors
    ///
    /// As for [`Self::state`].
    pub fn revoke(
        &self,
        is_revoked: impl Fn(&ActiveSkill) -> bool,
    ) -> Result<Vec<Arc<ActiveSkill>>, SessionError> {
        let change = self.change(|before| {
            let (revoked, kept) =
                before.active.iter().cloned().partition(|skill| is_revoked(skill));
            Ok((ledger::with_active(before, kept), revoked))
        })?;
        self.report(&change, DeactivationCause::Revoked);
        Ok(change.outcome)
    }

    /// Limits the session to the skills in `allowed` that it may load already, and unloads the
    /// others. Nothing makes the limit wider again.
    ///
    /// # Errors
    ///
    /// As for [`Self::state`].
    pub fn restrict(&self, allowed: &BTreeSet<String>) -> Result<Receipt, SessionError> {
        let change = self.change(|before| {
            let allowed = before.scope.narrowed(Some(allowed));
            let scope = SessionScope { allowed, ..(*before.scope).clone() };
            let is_kept = |skill: &&Arc<ActiveSkill>| scope.allows(&skill.id);
            let active = before.active.iter().filter(is_kept).cloned().collect();
            let state = ledger::with_active(before, active);
            Ok((SessionState { scope: Arc::new(scope), ..state }, ()))
        })?;
        self.report(&change, DeactivationCause::Revoked);
        Ok(Receipt::from(&change.after))
    }

    /// Records that the host has compacted the conversation and which deliveries it kept. Returns
    /// the state; [`ledger::injection`] selects what to deliver again.
    ///
    /// # Errors
    ///
    /// As for [`Self::state`].
    pub fn compacted(&self, kept: &KeptDeliveries) -> Result<SessionState, SessionError> {
        Ok(self.change(|before| Ok((ledger::compacted(before, kept), ())))?.after)
    }

    /// Records that the host has delivered the bodies of these skills again.
    ///
    /// # Errors
    ///
    /// As for [`Self::state`].
    pub fn injected(
        &self,
        ids: &[String],
        delivery: BodyDelivery,
    ) -> Result<SessionState, SessionError> {
        Ok(self.change(|before| Ok((ledger::injected(before, ids, delivery), ())))?.after)
    }

    /// Replaces loaded skills by newer versions with the same id and location, and reports each to
    /// the audit. Ignores a version of a skill that is not loaded. The `allowed-tools` of a skill
    /// stay those that it was loaded with, until it is loaded again.
    ///
    /// # Errors
    ///
    /// As for [`Self::state`].
    pub fn refresh(&self, newer: &[Arc<ActiveSkill>]) -> Result<Refreshed, SessionError> {
        let Change { before, after, .. } = self.change(|before| {
            let active = operations::refresh(&before.active, newer);
            Ok((ledger::with_active(before, active), ()))
        })?;
        let replaced = operations::replaced(&before.active, &after.active);
        self.runs().report_replaced(&replaced, &after.active, newer);
        Ok(Refreshed { state: after, replaced })
    }

    /// Records this moment as the last use of the session and returns its state.
    ///
    /// # Errors
    ///
    /// As for [`Self::state`].
    pub fn touch(&self) -> Result<SessionState, SessionError> {
        let record = self.open_record()?;
        Ok(self.touched(&record)?.state.clone())
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
            self.shared.expire()?;
        }
        record
    }

    /// Returns the record of the session unless it has expired.
    fn unexpired_record(&self) -> Result<Arc<Record>, SessionError> {
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

    /// Closes the session, whatever is stored. Returns whether there was one.
    pub(crate) fn close(&self) -> Result<bool, StoreError> {
        for _ in 0..MOST_ATTEMPTS {
            let Some(last) = self.shared.store.load(&self.id)? else { return Ok(false) };
            if self.shared.is_expired(&last) {
                self.shared.expire()?;
                return Ok(false);
            }
            if self.end(last)? {
                return Ok(true);
            }
        }
        Err(StoreError("the session was changed by others too often".to_owned()))
    }

    /// Deletes the session if it is still the stored one, and reports the skills that were loaded.
    /// Returns whether it was deleted.
    fn end(&self, last: StoredSession) -> Result<bool, StoreError> {
        let operation = last.operation;
        // The texts are gone after the deletion.
        let record = self.record(last);
        let is_deleted = self.shared.store.delete(&self.id, operation)?;
        if let (true, Ok(record)) = (is_deleted, record) {
            let closed = DeactivationCause::SessionClosed;
            self.runs().report(&record.state.active, &[], closed);
        }
        Ok(is_deleted)
    }

    /// Reports the skills that are still loaded in this session.
    pub(crate) fn report_resumed(&self, state: &SessionState) {
        self.runs().report_resumed(&state.active);
    }

    fn report<T>(&self, change: &Change<T>, cause: DeactivationCause) {
        let Change { before, after, .. } = change;
        self.runs().report(&before.active, &after.active, cause);
        let replaced = operations::replaced(&before.active, &after.active);
        self.runs().report_replaced(&replaced, &after.active, &[]);
    }

    fn runs(&self) -> Runs<'_> {
        let Shared { clock, audit, .. } = &*self.shared;
        Runs { session: &self.id, origin: &self.origin, clock: &**clock, audit: &**audit }
    }

    fn stored(&self) -> Result<Option<StoredSession>, SessionError> {
        Ok(self.shared.store.load(&self.id)?)
    }

    /// Returns the record of a stored session.
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

    /// Replaces the state by the one that `next` returns. Retries when another writer was faster.
    fn change<T>(
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
            let changed =
                record.changed(after, identity::operation()?, expires, &self.shared.encoded)?;
            let expected = Some(record.stored.operation);
            if self.shared.put(&changed.record.stored, &changed.new, expected)? {
                let after = self.see(changed.record).state.clone();
                return Ok(Change { before, after, outcome });
            }
        }
        Err(SessionError::Contended(self.id.clone()))
    }
}

impl Session for SessionHandle {
    fn id(&self) -> &SessionId {
        self.id()
    }

    fn state(&self) -> Result<SessionState, SessionError> {
        self.state()
    }

    fn load(&self, skills: &[Arc<ActiveSkill>], mode: LoadMode) -> Result<Receipt, SessionError> {
        self.load(skills, mode)
    }

    fn activate(&self, request: &LoadRequest<'_>) -> Result<LoadOutcome, SessionError> {
        self.activate(request)
    }

    fn unload(&self, which: &Unload) -> Result<Receipt, SessionError> {
        self.unload(which)
    }
}

impl fmt::Debug for SessionHandle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SessionHandle({})", self.id)
    }
}
