//! The session of a call, as a loaded tool sees it.

use std::sync::Arc;

use prowess_core::{
    ActiveSkill, Clock, LoadMode, Receipt, Session, SessionError, SessionId, SessionState,
    StoreError, Unload,
};
use prowess_plugin_abi::AbiError;
use prowess_plugin_abi::conversation::{Question, SessionRefusal, SkillVersion};
use prowess_plugin_abi::text::lossy;
use serde::de::DeserializeOwned;

use super::conversation::Conversation;
use crate::Host;

/// The most bytes of a host's message that are kept.
const MAX_MESSAGE_BYTES: usize = 8 << 10;

/// A session of the host's. Without a conversation it has an id and nothing else.
pub(super) struct RemoteSession {
    pub(super) id: SessionId,
    pub(super) host: Host,
    pub(super) conversation: Option<Conversation>,
}

impl RemoteSession {
    fn ask<T: DeserializeOwned>(&self, question: &Question) -> Result<T, SessionError> {
        let Some(conversation) = &self.conversation else {
            let reason = "this plugin does not have the feature `conversation`";
            return Err(SessionError::Store(StoreError(reason.into())));
        };
        conversation.ask(question).map_err(|error| self.error(&error))
    }

    fn error(&self, error: &AbiError) -> SessionError {
        let ext = lossy(error.ext.as_rstr(), MAX_MESSAGE_BYTES);
        match serde_json::from_str(&ext) {
            Ok(SessionRefusal::TooManySkills { wanted, cap }) => {
                SessionError::TooManySkills { wanted, cap }
            }
            Ok(SessionRefusal::AlreadyActive(id)) => SessionError::AlreadyActive(id),
            Ok(SessionRefusal::NotFound) => SessionError::NotFound(self.id.clone()),
            Ok(SessionRefusal::Contended) => SessionError::Contended(self.id.clone()),
            Ok(SessionRefusal::Store(reason)) => SessionError::Store(StoreError(reason)),
            Err(_) => {
                let message = lossy(error.message.as_rstr(), MAX_MESSAGE_BYTES).into_owned();
                SessionError::Store(StoreError(message))
            }
        }
    }
}

impl Session for RemoteSession {
    fn id(&self) -> &SessionId {
        &self.id
    }

    fn state(&self) -> Result<SessionState, SessionError> {
        match self.conversation {
            Some(_) => self.ask(&Question::State),
            None => Ok(SessionState::new(self.id.clone(), self.host.now())),
        }
    }

    /// Names the skills to the host, which reads them itself.
    fn load(&self, skills: &[Arc<ActiveSkill>], mode: LoadMode) -> Result<Receipt, SessionError> {
        let version = |skill: &Arc<ActiveSkill>| SkillVersion {
            id: skill.id.clone(),
            digest: skill.digest.to_string(),
        };
        let skills = skills.iter().map(version).collect();
        self.ask(&Question::Load { skills, add: mode == LoadMode::Add })
    }

    fn unload(&self, which: &Unload) -> Result<Receipt, SessionError> {
        let ids = match which {
            Unload::All => None,
            Unload::These(ids) => Some(ids.clone()),
        };
        self.ask(&Question::Unload { ids })
    }
}
