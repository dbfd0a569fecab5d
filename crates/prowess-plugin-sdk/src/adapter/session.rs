//! The session of a call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use prowess_core::{
    ActiveSkill, BodyDelivery, Clock, LedgerEntry, LoadMode, LoadOutcome, LoadRequest, Receipt,
    Session, SessionError, SessionId, SessionState, StoreError, Unload,
};
use prowess_plugin_abi::AbiError;
use prowess_plugin_abi::conversation::{
    Delivered, Question, REFUSALS, SessionRefusal, SkillVersion,
};
use prowess_plugin_abi::text::lossy;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::conversation::Conversation;
use super::recent::Recent;
use crate::Host;

/// The maximum length of a host's message.
const MAX_MESSAGE_BYTES: usize = 8 << 10;

/// A session of the host. Without a conversation it only has an id.
pub(super) struct RemoteSession<'a> {
    id: SessionId,
    host: &'a Host,
    conversation: Option<Conversation>,
    /// A cache of the most recent session states.
    states: &'a Recent<u64, SessionState>,
    /// The number of the state at the start of the call, if the host has sent it.
    state: Option<u64>,
    /// Whether the call may have changed the state.
    is_changed: AtomicBool,
}

impl<'a> RemoteSession<'a> {
    pub(super) fn new(
        id: SessionId,
        host: &'a Host,
        conversation: Option<Conversation>,
        states: &'a Recent<u64, SessionState>,
        state: Option<u64>,
    ) -> Self {
        let is_changed = AtomicBool::new(false);
        Self { id, host, conversation, states, state, is_changed }
    }

    fn ask<T: DeserializeOwned>(&self, question: &Question) -> Result<T, SessionError> {
        let Some(conversation) = &self.conversation else {
            let reason = "this plugin does not have the feature `conversation`";
            return Err(SessionError::Store(StoreError::new(reason)));
        };
        conversation.ask(question).map_err(|error| session_error(&self.id, &error))
    }

    /// Requests a change of the state.
    fn change<T: DeserializeOwned>(&self, question: &Question) -> Result<T, SessionError> {
        self.is_changed.store(true, Ordering::Release);
        self.ask(question)
    }
}

/// Converts the host's refusal into a session error.
fn session_error(session: &SessionId, error: &AbiError) -> SessionError {
    let ext = lossy(error.ext.as_rstr(), MAX_MESSAGE_BYTES);
    match serde_json::from_str(&ext) {
        Ok(SessionRefusal::TooManySkills { wanted, cap }) => {
            SessionError::TooManySkills { wanted, cap }
        }
        Ok(SessionRefusal::AlreadyActive(id)) => SessionError::AlreadyActive(id),
        Ok(SessionRefusal::NotOnTop(id)) => SessionError::NotOnTop(id),
        Ok(SessionRefusal::NothingActive) => SessionError::NothingActive,
        Ok(SessionRefusal::NotAllowed(id)) => SessionError::NotAllowed(id),
        Ok(SessionRefusal::NotFound) => SessionError::NotFound(session.clone()),
        Ok(SessionRefusal::Contended) => SessionError::Contended(session.clone()),
        Ok(SessionRefusal::Refused { code, message }) => {
            match REFUSALS.into_iter().find(|known| **known == code) {
                Some(code) => SessionError::Refused { code, message },
                None => SessionError::Store(StoreError::new(message)),
            }
        }
        Ok(SessionRefusal::Store(reason)) => SessionError::Store(StoreError::new(reason)),
        Err(_) => {
            let message = lossy(error.message.as_rstr(), MAX_MESSAGE_BYTES).into_owned();
            SessionError::Store(StoreError::new(message))
        }
    }
}

impl Session for RemoteSession<'_> {
    fn id(&self) -> &SessionId {
        &self.id
    }

    fn state(&self) -> Result<SessionState, SessionError> {
        if self.conversation.is_none() {
            return Ok(SessionState::new(self.id.clone(), self.host.now()));
        }
        match self.state.filter(|_| !self.is_changed.load(Ordering::Acquire)) {
            Some(number) => self.states.get_or_insert_with(number, || self.ask(&Question::State)),
            None => self.ask(&Question::State),
        }
    }

    /// Sends the ids and digests of the skills to the host, which reads the skills itself.
    fn load(&self, skills: &[Arc<ActiveSkill>], mode: LoadMode) -> Result<Receipt, SessionError> {
        self.change(&question(skills, mode, None, false))
    }

    fn activate(&self, request: &LoadRequest<'_>) -> Result<LoadOutcome, SessionError> {
        let LoadRequest { skills, mode, delivery, force, .. } = *request;
        let Loaded { receipt, delivered } =
            self.change(&question(skills, mode, Some(delivery), force))?;
        let Some(Delivered { deliver, already_loaded }) = delivered else {
            // An older host has no ledger, so each body is delivered.
            let ids = skills.iter().map(|skill| skill.id.clone());
            let is_result = delivery.is_in_result();
            let deliver = ids.filter(|_| is_result).collect();
            return Ok(LoadOutcome { receipt, deliver, already_loaded: Vec::new() });
        };
        Ok(LoadOutcome { receipt, deliver, already_loaded })
    }

    fn unload(&self, which: &Unload) -> Result<Receipt, SessionError> {
        let ids = match which {
            Unload::All => None,
            Unload::These(ids) => Some(ids.clone()),
        };
        self.change(&Question::Unload { ids })
    }
}

/// The answer to [`Question::Load`].
#[derive(Deserialize)]
struct Loaded {
    #[serde(flatten)]
    receipt: Receipt,
    #[serde(flatten)]
    delivered: Option<Delivered<LedgerEntry>>,
}

fn question(
    skills: &[Arc<ActiveSkill>],
    mode: LoadMode,
    delivery: Option<BodyDelivery>,
    force: bool,
) -> Question {
    let version = |skill: &Arc<ActiveSkill>| SkillVersion {
        id: skill.id.clone(),
        digest: skill.digest.to_string(),
    };
    let word = |delivery| serde_json::to_value(delivery).ok()?.as_str().map(str::to_owned);
    Question::Load {
        skills: skills.iter().map(version).collect(),
        add: mode == LoadMode::Add,
        delivery: delivery.and_then(word),
        force,
    }
}
