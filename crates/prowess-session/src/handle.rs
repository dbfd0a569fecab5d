//! A handle of one session.

mod skills;
mod stored;

use std::fmt;
use std::sync::{Arc, Mutex};

use prowess_core::{
    ActiveSkill, CallOrigin, Discipline, ForkedSession, LoadMode, LoadOutcome, LoadPlace,
    LoadRequest, Receipt, RunPreference, Session, SessionError, SessionId, SessionState, Unload,
};

use crate::record::Record;
use crate::runs::Runs;
use crate::shared::Shared;
use crate::{identity, ledger, operations};

/// A handle of one open session, which the store holds. Clones and other handles with the same id,
/// also in other processes, read and change the same session.
#[derive(Clone)]
pub struct SessionHandle {
    shared: Arc<Shared>,
    id: SessionId,
    origin: Arc<CallOrigin>,
    /// Whether a skill that asks for a session of its own gets one.
    pub(crate) forks: bool,
    /// The newest record that was seen, so that an unchanged one is not decoded again.
    seen: Arc<Mutex<Option<Arc<Record>>>>,
}

impl SessionHandle {
    pub(crate) fn new(shared: Arc<Shared>, id: SessionId) -> Self {
        Self { shared, id, origin: Arc::default(), forks: false, seen: Arc::default() }
    }

    /// Returns a handle of the same session for calls of another agent, task, tenant or model. The
    /// audit events of its changes name them.
    #[must_use]
    pub fn with_origin(&self, origin: CallOrigin) -> Self {
        Self { origin: Arc::new(origin), ..self.clone() }
    }

    /// Returns a handle of the same session for a host that runs skills in sessions of their own: a
    /// load of a skill with `context: fork` makes it active in a fork of this session, which the
    /// result of the call names.
    #[must_use]
    pub fn with_forks(&self) -> Self {
        Self { forks: true, ..self.clone() }
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

    /// Reports the skills that are still loaded in this session.
    pub(crate) fn report_resumed(&self, state: &SessionState) {
        self.runs().report_resumed(&state.active);
    }

    fn runs(&self) -> Runs<'_> {
        self.shared.runs(&self.id, &self.origin)
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

    fn check(
        &self,
        request: &LoadRequest<'_>,
        preference: &RunPreference,
    ) -> Result<(), SessionError> {
        let mut state = self.state()?;
        if self.forks && preference.fork {
            // A fork begins without skills.
            (state.active, state.ledger) = Default::default();
        }
        ledger::load(&state, request, &self.shared.policy).map(drop)
    }

    fn place(&self, preference: &RunPreference) -> Result<LoadPlace, SessionError> {
        let forks = self.forks && preference.fork;
        let fork = forks.then(identity::session).transpose()?;
        let discipline = self.shared.policy.within(&self.state()?.scope).discipline;
        Ok(LoadPlace { fork, is_stateless: discipline == Discipline::Stateless })
    }

    fn fork(
        &self,
        request: &LoadRequest<'_>,
        id: &SessionId,
    ) -> Result<Option<(ForkedSession, LoadOutcome)>, SessionError> {
        let preference = request.skills.last().map(|skill| RunPreference::of(&skill.properties));
        let preference = preference.unwrap_or_default();
        let outcome = self.fork_with(request, &preference, id)?;
        Ok(Some((ForkedSession { session: id.clone(), preference }, outcome)))
    }

    fn check_unload(&self, which: &Unload) -> Result<(), SessionError> {
        let state = self.state()?;
        let discipline = self.shared.policy.within(&state.scope).discipline;
        operations::unload(&state.active, which, discipline).map(drop)
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
