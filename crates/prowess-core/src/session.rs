//! The loaded skills of one conversation, and the store that keeps them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Digest, SessionId, Timestamp};

/// A skill that a conversation has loaded, as it was at that moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveSkill {
    /// What the model typed.
    pub id: String,
    /// The declared name.
    pub name: String,
    /// The `SKILL.md` as an absolute path or URL.
    pub location: String,
    /// The package's directory as an absolute path or URL.
    pub root_dir: String,
    /// The name of the layer that it came from. Empty in what was kept before layers were noted.
    #[serde(default)]
    pub layer: String,
    /// The version that its author gives it, in `metadata.version`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Of the whole `SKILL.md`.
    pub digest: Digest,
    /// The frontmatter as it was written.
    pub properties: serde_json::Value,
    /// Everything after the frontmatter, trimmed.
    pub body: Arc<str>,
    /// When it was loaded.
    pub loaded_at: Timestamp,
}

/// All that is kept of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionState {
    /// Which conversation.
    pub id: SessionId,
    /// Grows by one with each change; a store compares it before it overwrites.
    pub version: u64,
    /// The loaded skills, the most recent last. A clone of the state shares them.
    pub active: Vec<Arc<ActiveSkill>>,
    /// When it was opened.
    pub created: Timestamp,
    /// When it was last used, by `put` or by [`SessionStore::touch`].
    pub touched: Timestamp,
}

impl SessionState {
    /// A conversation that has loaded nothing.
    pub fn new(id: SessionId, now: Timestamp) -> Self {
        Self { id, version: 0, active: Vec::new(), created: now, touched: now }
    }

    /// The skill that a call means when it names none: the one loaded last.
    pub fn current(&self) -> Option<&ActiveSkill> {
        self.active.last().map(Arc::as_ref)
    }

    /// The active skill with this id.
    pub fn find(&self, id: &str) -> Option<&ActiveSkill> {
        self.active.iter().map(Arc::as_ref).find(|skill| skill.id == id)
    }
}

/// What loading does with the skills that are active already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LoadMode {
    /// They give way. The default.
    #[default]
    Replace,
    /// They stay.
    Add,
}

/// Which skills to unload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unload {
    /// Every one.
    All,
    /// Those of these that are active; the others are no error.
    These(Vec<String>),
}

/// What a conversation has loaded, without the bodies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Receipt {
    /// The active skills, the most recent last.
    pub active_skills: Vec<ReceiptEntry>,
}

/// One skill of a [`Receipt`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReceiptEntry {
    /// What the model types.
    pub id: String,
    /// The declared name.
    pub name: String,
    /// The `SKILL.md` as an absolute path or URL.
    pub location: String,
    /// The package's directory as an absolute path or URL.
    pub root_dir: String,
    /// The name of the layer that it came from.
    pub layer: String,
    /// The version that its author gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Of the whole `SKILL.md`.
    pub digest: Digest,
    /// The frontmatter as it was written.
    pub properties: serde_json::Value,
}

impl From<&SessionState> for Receipt {
    fn from(state: &SessionState) -> Self {
        let entry = |skill: &Arc<ActiveSkill>| ReceiptEntry {
            id: skill.id.clone(),
            name: skill.name.clone(),
            location: skill.location.clone(),
            root_dir: skill.root_dir.clone(),
            layer: skill.layer.clone(),
            version: skill.version.clone(),
            digest: skill.digest,
            properties: skill.properties.clone(),
        };
        Self { active_skills: state.active.iter().map(entry).collect() }
    }
}

/// What a tool may do to the conversation that it is called in.
///
/// # Behavior
///
/// - `id` and `state` change nothing, and are not use: they do not keep a session from expiring.
/// - `load` and `unload` happen whole or not at all, also beside calls from other threads.
/// - `load` with more skills than the cap, or leading to more, changes nothing.
/// - After an error the state is what it was.
pub trait Session: Send + Sync {
    /// Which conversation this is.
    fn id(&self) -> &SessionId;

    /// What it has loaded now.
    ///
    /// # Errors
    ///
    /// The conversation is over, or its store fails.
    fn state(&self) -> Result<SessionState, SessionError>;

    /// Makes skills active.
    ///
    /// # Errors
    ///
    /// Too many skills, a skill that the discipline refuses, or as for `state`.
    fn load(&self, skills: &[Arc<ActiveSkill>], mode: LoadMode) -> Result<Receipt, SessionError>;

    /// Makes skills inactive.
    ///
    /// # Errors
    ///
    /// As for `state`.
    fn unload(&self, which: &Unload) -> Result<Receipt, SessionError>;
}

/// Why a conversation could not do what it was asked. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// More skills than a conversation may have loaded.
    #[error(
        "{wanted} skills would be active and at most {cap} may be; load fewer, or unload some first"
    )]
    TooManySkills {
        /// How many there would be.
        wanted: usize,
        /// How many there may be.
        cap: usize,
    },
    /// The skill is active and the policy refuses to load it again.
    #[error("skill `{0}` is already active")]
    AlreadyActive(String),
    /// The conversation is over, expired or was never begun.
    #[error("there is no session `{}`; open a new one", .0.shown())]
    NotFound(SessionId),
    /// Too many others changed it at the same time.
    #[error("session `{}` was changed by others too often; try again", .0.shown())]
    Contended(SessionId),
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SessionError {
    /// The code that a tool result carries.
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooManySkills { .. } => "too-many-skills",
            Self::AlreadyActive(_) => "already-active",
            Self::NotFound(_) => "session-not-found",
            Self::Contended(_) => "session-contended",
            Self::Store(_) => "session-store-failed",
        }
    }
}

/// Keeps conversations.
///
/// # Behavior
///
/// - `load` gives what the last successful `put` stored, from any thread.
/// - `put` stores a state only if the stored version is `expected` (`None`: nothing is stored), and
///   says whether it did; two racing puts with one expectation never both succeed.
/// - `touch` records when a stored state was last used, and says whether there is one. A later `load`
///   has the time in `touched`, everything else stays as it was, and a `put` that expects the version
///   still succeeds. An earlier time than the recorded one changes nothing.
/// - `delete` says whether there was something to delete; a deleted state does not come back by a
///   `put` that expects a version of it.
pub trait SessionStore: Send + Sync {
    /// The stored state.
    ///
    /// # Errors
    ///
    /// The store cannot be reached or read.
    fn load(&self, id: &SessionId) -> Result<Option<SessionState>, StoreError>;

    /// Stores a state if the stored version is `expected`; false if it is another one.
    ///
    /// # Errors
    ///
    /// The store cannot be reached or written.
    fn put(&self, state: SessionState, expected: Option<u64>) -> Result<bool, StoreError>;

    /// Records `at` as the last use of a stored state, without writing the state again; false if there is
    /// none.
    ///
    /// # Errors
    ///
    /// The store cannot be reached or written.
    fn touch(&self, id: &SessionId, at: Timestamp) -> Result<bool, StoreError>;

    /// Forgets a state; false if there was none.
    ///
    /// # Errors
    ///
    /// The store cannot be reached or written.
    fn delete(&self, id: &SessionId) -> Result<bool, StoreError>;
}

/// A store failed; the text says how.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the session store failed: {0}")]
pub struct StoreError(pub String);
