//! The loaded skills of a session, and the operations of a tool on them.

use std::sync::Arc;

use prowess_format::AllowedTools;
use serde::{Deserialize, Serialize};

use crate::{Digest, SessionId, StoreError, Timestamp};

/// A loaded skill, with its content at that time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveSkill {
    /// The id.
    pub id: String,
    /// The declared name.
    pub name: String,
    /// The `SKILL.md` as an absolute path or URL.
    pub location: String,
    /// The package's directory as an absolute path or URL.
    pub root_dir: String,
    /// The name of its layer. Empty in sessions that were stored before layers were recorded.
    #[serde(default)]
    pub layer: String,
    /// The author's version, from `metadata.version`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The digest of the whole `SKILL.md`.
    pub digest: Digest,
    /// The frontmatter as it was written.
    pub properties: serde_json::Value,
    /// The tools that it names under `allowed-tools`, as they were when it was loaded. A refresh
    /// keeps them: new rights need a new load. `Absent` in sessions that were stored before these
    /// were recorded.
    #[serde(default)]
    pub allowed_tools: AllowedTools,
    /// Everything after the frontmatter, trimmed.
    pub body: Arc<str>,
    /// The time at which it was loaded.
    pub loaded_at: Timestamp,
    /// The time at which its run started: a refresh and a repeated load continue it. Zero in
    /// sessions that were stored before it was recorded.
    #[serde(default)]
    pub activated_at: Timestamp,
}

/// The state of a session. A store has it as a [`StoredSession`](crate::StoredSession).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionState {
    /// The session's id.
    pub id: SessionId,
    /// Grows by one with each change.
    pub version: u64,
    /// The loaded skills, the most recent last. A clone of the state shares them.
    pub active: Vec<Arc<ActiveSkill>>,
    /// The time at which the session was opened.
    pub created: Timestamp,
    /// The time of the last use.
    pub touched: Timestamp,
}

impl SessionState {
    /// Creates the state of a session without loaded skills.
    pub fn new(id: SessionId, now: Timestamp) -> Self {
        Self { id, version: 0, active: Vec::new(), created: now, touched: now }
    }

    /// Returns the skill that a call without a skill's name refers to: the one loaded last.
    pub fn current(&self) -> Option<&ActiveSkill> {
        self.active.last().map(Arc::as_ref)
    }

    /// Returns the active skill with this id.
    pub fn find(&self, id: &str) -> Option<&ActiveSkill> {
        self.active.iter().map(Arc::as_ref).find(|skill| skill.id == id)
    }
}

/// Whether loading replaces the active skills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LoadMode {
    /// The loaded skills replace the active ones. The default.
    #[default]
    Replace,
    /// The active skills stay active.
    Add,
}

/// The skills to unload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unload {
    /// All active skills.
    All,
    /// These skills. Those that are not active are ignored.
    These(Vec<String>),
}

/// The loaded skills of a session, without their bodies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The active skills, the most recent last.
    pub active_skills: Vec<ReceiptEntry>,
}

/// One skill of a [`Receipt`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiptEntry {
    /// The id, as a model writes it.
    pub id: String,
    /// The declared name.
    pub name: String,
    /// The `SKILL.md` as an absolute path or URL.
    pub location: String,
    /// The package's directory as an absolute path or URL.
    pub root_dir: String,
    /// The name of its layer.
    pub layer: String,
    /// The author's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The digest of the whole `SKILL.md`.
    pub digest: Digest,
    /// The frontmatter as it was written.
    pub properties: serde_json::Value,
}

impl From<&ActiveSkill> for ReceiptEntry {
    fn from(skill: &ActiveSkill) -> Self {
        Self {
            id: skill.id.clone(),
            name: skill.name.clone(),
            location: skill.location.clone(),
            root_dir: skill.root_dir.clone(),
            layer: skill.layer.clone(),
            version: skill.version.clone(),
            digest: skill.digest,
            properties: skill.properties.clone(),
        }
    }
}

impl From<&SessionState> for Receipt {
    fn from(state: &SessionState) -> Self {
        Self { active_skills: state.active.iter().map(|skill| skill.as_ref().into()).collect() }
    }
}

/// The session of a tool call, as the tool may use it.
///
/// # Behavior
///
/// - `id` and `state` change nothing and do not count as use: they do not keep a session from
///   expiring.
/// - `load` and `unload` are atomic, also with concurrent calls from other threads.
/// - `load` with more skills than the limit, or leading to more, changes nothing.
/// - After an error the state is unchanged.
pub trait Session: Send + Sync {
    /// Returns the session's id.
    fn id(&self) -> &SessionId;

    /// Returns the current state.
    ///
    /// # Errors
    ///
    /// The session has ended, or its store fails.
    fn state(&self) -> Result<SessionState, SessionError>;

    /// Makes skills active.
    ///
    /// # Errors
    ///
    /// Too many skills, a skill that the policy refuses, or as for `state`.
    fn load(&self, skills: &[Arc<ActiveSkill>], mode: LoadMode) -> Result<Receipt, SessionError>;

    /// Makes skills inactive.
    ///
    /// # Errors
    ///
    /// As for `state`.
    fn unload(&self, which: &Unload) -> Result<Receipt, SessionError>;
}

/// The error of an operation on a session, which has changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// More skills than a session may have loaded.
    #[error(
        "{wanted} skills would be active and at most {cap} may be; load fewer, or unload some first"
    )]
    TooManySkills {
        /// The number of skills that would be active.
        wanted: usize,
        /// The maximum number of active skills.
        cap: usize,
    },
    /// The skill is active and the policy refuses to load it again.
    #[error("skill `{0}` is already active")]
    AlreadyActive(String),
    /// The session has ended or expired, or never existed.
    #[error("there is no session `{}`; open a new one", .0.shown())]
    NotFound(SessionId),
    /// Concurrent calls changed the session too often.
    #[error("session `{}` was changed by others too often; try again", .0.shown())]
    Contended(SessionId),
    /// The host refuses to load a skill that the tool has found: the caller has no such skill, it
    /// has changed since it was read, or the host's own rules do not accept it.
    #[error("{message}")]
    Refused {
        /// The code for a tool result.
        code: &'static str,
        /// The reason and the next step.
        message: String,
    },
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SessionError {
    /// Returns the code for a tool result.
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooManySkills { .. } => "too-many-skills",
            Self::AlreadyActive(_) => "already-active",
            Self::NotFound(_) => "session-not-found",
            Self::Contended(_) => "session-contended",
            Self::Refused { code, .. } => code,
            Self::Store(_) => "session-store-failed",
        }
    }
}
