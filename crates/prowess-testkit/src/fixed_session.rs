//! A session that stays as it is.

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, LoadMode, Receipt, Session, SessionError, SessionId, SessionState, StoreError,
    Timestamp, Unload,
};

/// A session whose state never changes.
pub struct FixedSession {
    /// The id.
    pub id: SessionId,
    /// The loaded skills.
    pub active: Vec<Arc<ActiveSkill>>,
    /// The error of each load and unload. Without one, a load answers as if only its skills were
    /// loaded, and an unload as if nothing were unloaded.
    pub refusal: Option<SessionError>,
}

impl FixedSession {
    /// Creates a session without loaded skills that refuses each change.
    pub fn new(id: &str) -> Self {
        let refusal = StoreError::new("the session of the test does not change");
        Self {
            id: SessionId::new(id).expect("the id is valid"),
            active: Vec::new(),
            refusal: Some(SessionError::Store(refusal)),
        }
    }

    fn state_with(&self, active: &[Arc<ActiveSkill>]) -> SessionState {
        SessionState { active: active.to_vec(), ..SessionState::new(self.id.clone(), Timestamp(0)) }
    }

    fn changed(&self, active: &[Arc<ActiveSkill>]) -> Result<Receipt, SessionError> {
        self.refusal.clone().map_or_else(|| Ok((&self.state_with(active)).into()), Err)
    }
}

impl Session for FixedSession {
    fn id(&self) -> &SessionId {
        &self.id
    }

    fn state(&self) -> Result<SessionState, SessionError> {
        Ok(self.state_with(&self.active))
    }

    fn load(&self, skills: &[Arc<ActiveSkill>], _: LoadMode) -> Result<Receipt, SessionError> {
        self.changed(skills)
    }

    fn unload(&self, _: &Unload) -> Result<Receipt, SessionError> {
        self.changed(&self.active)
    }
}
