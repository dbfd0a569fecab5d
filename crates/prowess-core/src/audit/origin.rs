//! The origin of a call, as the host names it, and the id of a skill's run.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{ActiveSkill, Digest, SessionId, SessionState, Timestamp};

/// The agent, task, tenant and model that calls are made for, as the host names them. Nothing in it
/// comes from a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CallOrigin {
    /// The agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The task that the agent works on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The tenant that the conversation belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The language model, as a label of metrics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// An id of the host that replaces the computed correlation ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation: Option<CorrelationId>,
}

impl CallOrigin {
    /// Returns the correlation id of the run of a loaded skill.
    pub fn run(&self, session: &SessionId, skill: &ActiveSkill) -> CorrelationId {
        let computed = || CorrelationId::of_run(session, &skill.id, skill.activated_at);
        self.correlation.clone().unwrap_or_else(computed)
    }

    /// Returns the correlation id of the calls of a session without a loaded skill.
    pub fn session(&self, session: &SessionId) -> CorrelationId {
        self.correlation.clone().unwrap_or_else(|| CorrelationId::of_session(session))
    }

    /// Returns the correlation id of a call that is made in this state of a session.
    pub fn call(&self, state: &SessionState) -> CorrelationId {
        match state.current() {
            Some(skill) => self.run(&state.id, skill),
            None => self.session(&state.id),
        }
    }
}

/// The id that all events of one skill's run share, from its activation to its deactivation.
///
/// It is computed, not stored, so every host of a session computes the same id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CorrelationId(Arc<str>);

/// The number of hexadecimal digits of a computed id.
const DIGITS: usize = 32;

impl CorrelationId {
    /// Creates an id from a text that the host chooses, such as the id of a trace.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(text.as_ref().into())
    }

    /// Returns the id of the run of a skill that was activated in a session at that time.
    pub fn of_run(session: &SessionId, skill: &str, activated: Timestamp) -> Self {
        Self::of(&format!("{session}\n{skill}\n{}", activated.0))
    }

    /// Returns the id of the calls of a session without a loaded skill.
    pub fn of_session(session: &SessionId) -> Self {
        Self::of(session.as_str())
    }

    fn of(text: &str) -> Self {
        let digest = Digest::of(text.as_bytes()).to_string();
        let (_, digits) = digest.split_once(':').expect("a digest begins with its algorithm");
        Self(digits[..DIGITS].into())
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CorrelationId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
