//! Calls that are made without an effect, to know whether they would be refused.

use std::sync::Arc;
use std::time::Duration;

use prowess_core::{
    ActiveSkill, Cancel, LoadMode, LoadPlace, LoadRequest, Receipt, RunPreference, ScriptError,
    ScriptOutcome, ScriptRequest, ScriptRunner, Session, SessionError, SessionId, SessionState,
    Trust, Unload,
};

use crate::operations::Operations;

impl Operations {
    /// Returns the same operations with a runner that runs nothing. Whether a person has to approve
    /// hooks is the gate's decision.
    pub(crate) fn rehearsed(&self) -> Self {
        let runner = self.runner.as_ref().map(|_| Arc::new(Idle) as Arc<dyn ScriptRunner>);
        let (hook_audit, hook_memory) = Default::default();
        Self { runner, hook_audit, hook_memory, hook_trust: Trust::Untrusted, ..self.clone() }
    }
}

/// A runner under which each script succeeds at once.
struct Idle;

impl ScriptRunner for Idle {
    fn run(
        &self,
        _: &ScriptRequest<'_>,
        _: Duration,
        _: &Cancel,
    ) -> Result<ScriptOutcome, ScriptError> {
        Ok(ScriptOutcome { exit_code: Some(0), ..ScriptOutcome::default() })
    }
}

/// A session that stays as it is, and refuses what the session itself refuses.
pub(crate) struct Rehearsed<'a>(pub(crate) &'a dyn Session);

impl Session for Rehearsed<'_> {
    fn id(&self) -> &SessionId {
        self.0.id()
    }

    fn state(&self) -> Result<SessionState, SessionError> {
        self.0.state()
    }

    /// A load is checked before.
    fn load(&self, _: &[Arc<ActiveSkill>], _: LoadMode) -> Result<Receipt, SessionError> {
        Ok(Receipt::from(&self.state()?))
    }

    fn check(
        &self,
        request: &LoadRequest<'_>,
        preference: &RunPreference,
    ) -> Result<(), SessionError> {
        self.0.check(request, preference)
    }

    fn place(&self, preference: &RunPreference) -> Result<LoadPlace, SessionError> {
        self.0.place(preference)
    }

    fn unload(&self, which: &Unload) -> Result<Receipt, SessionError> {
        self.0.check_unload(which)?;
        Ok(Receipt::from(&self.state()?))
    }
}
