//! A handle of one session.

use std::fmt;
use std::sync::Arc;

use prowess_core::{
    ActiveSkill, CallOrigin, DeactivationCause, LoadMode, Receipt, Session, SessionError,
    SessionId, SessionState, StoreError, Unload,
};

use crate::operations;
use crate::refreshed::Refreshed;
use crate::runs::{self, Runs};
use crate::shared::Shared;

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
}

/// The state before and after a change.
struct Change {
    before: SessionState,
    after: SessionState,
}

impl SessionHandle {
    pub(crate) fn new(shared: Arc<Shared>, id: SessionId) -> Self {
        Self { shared, id, origin: Arc::default() }
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
        let state = self.stored()?.filter(|state| !self.shared.is_expired(state));
        state.ok_or_else(|| self.not_found())
    }

    /// Loads skills. The change is atomic, also with other threads and processes.
    ///
    /// # Errors
    ///
    /// More skills would be loaded than the policy allows, the policy refuses to load one again, or
    /// as for [`Self::state`].
    pub fn load(
        &self,
        skills: &[Arc<ActiveSkill>],
        mode: LoadMode,
    ) -> Result<Receipt, SessionError> {
        let policy = &self.shared.policy;
        let change = self.change(|active| operations::load(active, skills, mode, policy))?;
        self.report(&change, DeactivationCause::Replaced);
        Ok(Receipt::from(&change.after))
    }

    /// Unloads skills. A skill that is not loaded is ignored.
    ///
    /// # Errors
    ///
    /// As for [`Self::state`].
    pub fn unload(&self, which: &Unload) -> Result<Receipt, SessionError> {
        let change = self.change(|active| Ok(operations::unload(active, which)))?;
        self.report(&change, DeactivationCause::Unloaded);
        Ok(Receipt::from(&change.after))
    }

    /// Replaces loaded skills by newer versions with the same id and location. Ignores a version of
    /// a skill that is not loaded.
    ///
    /// # Errors
    ///
    /// As for [`Self::state`].
    pub fn refresh(&self, newer: &[Arc<ActiveSkill>]) -> Result<Refreshed, SessionError> {
        let Change { before, after } =
            self.change(|active| Ok(operations::refresh(active, newer)))?;
        let replaced = operations::replaced(&before.active, &after.active);
        Ok(Refreshed { state: after, replaced })
    }

    /// Records this moment as the last use of the session and returns its state.
    ///
    /// # Errors
    ///
    /// As for [`Self::state`].
    pub fn touch(&self) -> Result<SessionState, SessionError> {
        let mut state = self.open_state()?;
        state.touched = self.shared.clock.now();
        if self.shared.store.touch(&self.id, state.touched)? {
            Ok(state)
        } else {
            Err(self.not_found())
        }
    }

    /// Returns the stored state, and deletes it if the session has expired.
    fn open_state(&self) -> Result<SessionState, SessionError> {
        match self.stored()? {
            Some(state) if !self.shared.is_expired(&state) => Ok(state),
            Some(_) => {
                self.end(DeactivationCause::SessionExpired)?;
                Err(self.not_found())
            }
            None => Err(self.not_found()),
        }
    }

    /// Deletes the state and reports the skills that were loaded. Returns whether there was one.
    pub(crate) fn end(&self, cause: DeactivationCause) -> Result<bool, StoreError> {
        let last = self.shared.store.load(&self.id)?;
        let is_deleted = self.shared.store.delete(&self.id)?;
        if let Some(last) = last.filter(|_| is_deleted) {
            self.runs().report(&last.active, &[], cause);
        }
        Ok(is_deleted)
    }

    fn report(&self, change: &Change, cause: DeactivationCause) {
        self.runs().report(&change.before.active, &change.after.active, cause);
    }

    fn runs(&self) -> Runs<'_> {
        let Shared { clock, audit, .. } = &*self.shared;
        Runs { session: &self.id, origin: &self.origin, clock: &**clock, audit: &**audit }
    }

    fn stored(&self) -> Result<Option<SessionState>, SessionError> {
        Ok(self.shared.store.load(&self.id)?)
    }

    fn not_found(&self) -> SessionError {
        SessionError::NotFound(self.id.clone())
    }

    /// Replaces the loaded skills by the list that `next` returns. Retries when another writer was
    /// faster.
    fn change(
        &self,
        next: impl Fn(&[Arc<ActiveSkill>]) -> Result<Vec<Arc<ActiveSkill>>, SessionError>,
    ) -> Result<Change, SessionError> {
        for _ in 0..MOST_ATTEMPTS {
            let before = self.open_state()?;
            let active = runs::continued(&before.active, next(&before.active)?);
            if active == before.active {
                let after = self.touch()?;
                return Ok(Change { before, after });
            }
            let expected = Some(before.version);
            let touched = self.shared.clock.now();
            let version = before.version + 1;
            let after = SessionState { version, active, touched, ..before.clone() };
            if self.shared.store.put(after.clone(), expected)? {
                return Ok(Change { before, after });
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

    fn unload(&self, which: &Unload) -> Result<Receipt, SessionError> {
        self.unload(which)
    }
}

impl fmt::Debug for SessionHandle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SessionHandle({})", self.id)
    }
}
