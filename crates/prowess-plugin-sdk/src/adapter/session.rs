//! The conversation, as far as a loaded tool sees it.

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, Clock, LoadMode, Receipt, Session, SessionError, SessionId, SessionState,
    StoreError, Unload,
};

use crate::Host;

/// A session that has an id and nothing else.
pub(super) struct RemoteSession {
    pub(super) id: SessionId,
    pub(super) host: Host,
}

fn refused() -> SessionError {
    SessionError::Store(StoreError(
        "what a conversation has loaded stays with its host, and this tool is a plugin's".into(),
    ))
}

impl Session for RemoteSession {
    fn id(&self) -> &SessionId {
        &self.id
    }

    fn state(&self) -> Result<SessionState, SessionError> {
        Ok(SessionState::new(self.id.clone(), self.host.now()))
    }

    fn load(&self, _: &[Arc<ActiveSkill>], _: LoadMode) -> Result<Receipt, SessionError> {
        Err(refused())
    }

    fn unload(&self, _: &Unload) -> Result<Receipt, SessionError> {
        Err(refused())
    }
}
