//! The loaded skills of a session, and the operations of a tool on them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    ActiveSkill, BodyDelivery, BodyPlace, Digest, LedgerEntry, RunPreference, SessionId,
    SessionScope, StoreError, Timestamp,
};

/// The state of a session. A store has it as a [`StoredSession`](crate::StoredSession).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionState {
    /// The session's id.
    pub id: SessionId,
    /// Grows by one with each change.
    pub version: u64,
    /// The loaded skills, the most recent last. A clone of the state shares them.
    pub active: Vec<Arc<ActiveSkill>>,
    /// Where the bodies of the loaded skills are, in the same order. Empty in a session that has no
    /// ledger.
    #[serde(default)]
    pub ledger: Vec<LedgerEntry>,
    /// The number of tool results that delivered bodies.
    #[serde(default)]
    pub deliveries: u32,
    /// The limits of the session.
    #[serde(default)]
    pub scope: Arc<SessionScope>,
    /// The time at which the session was opened.
    pub created: Timestamp,
    /// The time of the last use.
    pub touched: Timestamp,
}

impl SessionState {
    /// Creates the state of a session without loaded skills.
    pub fn new(id: SessionId, now: Timestamp) -> Self {
        Self {
            id,
            version: 0,
            active: Vec::new(),
            ledger: Vec::new(),
            deliveries: 0,
            scope: Arc::default(),
            created: now,
            touched: now,
        }
    }

    /// Returns the skill that a call without a skill name refers to: the one that was loaded last.
    pub fn current(&self) -> Option<&ActiveSkill> {
        self.active.last().map(Arc::as_ref)
    }

    /// Returns the active skills whose bodies are in the instructions of each model call, by the
    /// ledger. Without a ledger, the delivery decides.
    pub fn in_instructions(
        &self,
        delivery: BodyDelivery,
    ) -> impl Iterator<Item = &Arc<ActiveSkill>> {
        self.active.iter().filter(move |skill| {
            let entry = self.ledger.iter().find(|entry| entry.id == skill.id);
            match entry.map(|entry| entry.body) {
                Some(BodyPlace::Instructions) => true,
                Some(BodyPlace::ToolResult(_)) => false,
                Some(BodyPlace::Gone) | None => delivery == BodyDelivery::Instructions,
            }
        })
    }

    /// Returns the skills that limit the calls of this session. In a fork, those that were active
    /// in its parent when it began count as if they were active below its own; they only narrow.
    pub fn limiting(&self) -> impl Iterator<Item = &Arc<ActiveSkill>> {
        let is_same = |own: &ActiveSkill, limit: &ActiveSkill| {
            own.location == limit.location
                && own.digest == limit.digest
                && own.allowed_tools == limit.allowed_tools
        };
        let is_other =
            move |limit: &&Arc<ActiveSkill>| !self.active.iter().any(|own| is_same(own, limit));
        self.scope.limits.iter().filter(is_other).chain(&self.active)
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
    /// The preferences of the skill for its execution.
    #[serde(default, skip_serializing_if = "RunPreference::is_empty")]
    pub preference: RunPreference,
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
            preference: RunPreference::of(&skill.properties),
        }
    }
}

impl From<&SessionState> for Receipt {
    fn from(state: &SessionState) -> Self {
        Self::of(&state.active)
    }
}

impl Receipt {
    /// Returns the receipt of these skills.
    pub fn of(active: &[Arc<ActiveSkill>]) -> Self {
        Self { active_skills: active.iter().map(|skill| skill.as_ref().into()).collect() }
    }
}

/// A request to load skills.
#[derive(Clone, Copy, Debug)]
pub struct LoadRequest<'a> {
    /// The skills, whose bodies are read.
    pub skills: &'a [Arc<ActiveSkill>],
    /// Whether they replace the active ones.
    pub mode: LoadMode,
    /// The destination of bodies.
    pub delivery: BodyDelivery,
    /// The generation of the catalog that the skills are from.
    pub generation: u64,
    /// Whether to deliver bodies again that the context of the model has.
    pub force: bool,
}

/// The result of a [`LoadRequest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadOutcome {
    /// The loaded skills.
    pub receipt: Receipt,
    /// The ids of the skills whose bodies belong into the result of this call.
    pub deliver: Vec<String>,
    /// The requested skills whose bodies the context has from an earlier call.
    pub already_loaded: Vec<LedgerEntry>,
}

/// A session of its own, which was forked for a skill that asks for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForkedSession {
    /// Its id, by which the host runs the skill.
    pub session: SessionId,
    /// How the skill prefers to be run.
    pub preference: RunPreference,
}

/// Where a load makes skills active; by default in the session of the call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadPlace {
    /// The id of the session of their own that [`Session::fork`] opens for them.
    pub fork: Option<SessionId>,
    /// Whether no session has them, since its discipline is stateless.
    pub is_stateless: bool,
}

/// The session of a tool call, as the tool may use it.
///
/// # Behavior
///
/// - `id` and `state` change nothing and do not count as use: they do not keep a session from
///   expiring.
/// - `load` and `unload` are atomic, also with concurrent calls from other threads.
/// - `load` with more skills than the limit, or leading to more, changes nothing.
/// - `activate` is a `load` that delivers no body that the context of the model has, unless that is
///   forced.
/// - `fork` never changes this session.
/// - After an error the state is unchanged, except that a store without an answer may have stored
///   the change.
pub trait Session: Send + Sync {
    /// Returns the session's id.
    fn id(&self) -> &SessionId;

    /// Returns the current state.
    ///
    /// # Errors
    ///
    /// Returns an error if the session has ended, or its store fails.
    fn state(&self) -> Result<SessionState, SessionError>;

    /// Makes skills active.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too many skills or the policy refuses a skill, and as
    /// [`Self::state`].
    fn load(&self, skills: &[Arc<ActiveSkill>], mode: LoadMode) -> Result<Receipt, SessionError>;

    /// Makes skills active, and returns which bodies belong into the result of the call. By
    /// default, loads them, and delivers each body to a tool result: a session without a ledger
    /// does not know what the context of the model has.
    ///
    /// # Errors
    ///
    /// As for `load`.
    fn activate(&self, request: &LoadRequest<'_>) -> Result<LoadOutcome, SessionError> {
        let receipt = self.load(request.skills, request.mode)?;
        let is_active = |skill: &ActiveSkill| {
            let mut entries = receipt.active_skills.iter();
            entries.any(|entry| entry.id == skill.id && entry.digest == skill.digest)
        };
        let skills = request.skills.iter().filter(|skill| is_active(skill));
        let deliver = if request.delivery.is_in_result() {
            skills.map(|skill| skill.id.clone()).collect()
        } else {
            Vec::new()
        };
        Ok(LoadOutcome { receipt, deliver, already_loaded: Vec::new() })
    }

    /// Returns the error of [`Self::activate`], or of [`Self::fork`] for a skill that prefers one,
    /// without a load. By default, there is none.
    ///
    /// # Errors
    ///
    /// As for `activate`.
    fn check(&self, _: &LoadRequest<'_>, _: &RunPreference) -> Result<(), SessionError> {
        Ok(())
    }

    /// Returns where a load for which this is preferred makes its skills active, before it does.
    ///
    /// # Errors
    ///
    /// As for [`Self::state`].
    fn place(&self, _: &RunPreference) -> Result<LoadPlace, SessionError> {
        Ok(LoadPlace::default())
    }

    /// Makes skills active in a session of their own with this id instead, as the last one prefers.
    /// By default, returns `None`: the host runs no such sessions.
    ///
    /// # Errors
    ///
    /// As for `activate`.
    fn fork(
        &self,
        _request: &LoadRequest<'_>,
        _id: &SessionId,
    ) -> Result<Option<(ForkedSession, LoadOutcome)>, SessionError> {
        Ok(None)
    }

    /// Returns the error of [`Self::unload`], without an unload. By default, there is none.
    ///
    /// # Errors
    ///
    /// As for `unload`.
    fn check_unload(&self, _: &Unload) -> Result<(), SessionError> {
        Ok(())
    }

    /// Makes skills inactive.
    ///
    /// # Errors
    ///
    /// Returns an error if the order of the session's stack forbids it, and as [`Self::state`].
    fn unload(&self, which: &Unload) -> Result<Receipt, SessionError>;
}

/// The error of an operation on a session, which has changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The number of loaded skills would exceed the maximum.
    #[error(
        "{} would be active and at most {cap} may be; load fewer, or unload some first",
        prowess_text::counted(*wanted, "skill")
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
    /// Another skill was loaded later, and skills are unloaded in reverse order.
    #[error("skill `{0}` must be deactivated first")]
    NotOnTop(String),
    /// Skills are unloaded in reverse order, and none is loaded.
    #[error("No active skills to deactivate")]
    NothingActive,
    /// The session may not load this skill.
    #[error("skill `{0}` is not among the skills that this session may load; go on without it")]
    NotAllowed(String),
    /// The session has ended or expired, or never existed.
    #[error("there is no session `{}`; open a new one", .0.shown())]
    NotFound(SessionId),
    /// Concurrent calls changed the session too often.
    #[error("session `{}` was changed by others too often; try again", .0.shown())]
    Contended(SessionId),
    /// The host refuses to load a skill: it is unknown to the caller, has changed since it was
    /// read, or is invalid by the host's rules.
    #[error("{message}")]
    Refused {
        /// The code for a tool result.
        code: &'static str,
        /// The reason and how to fix it.
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
            Self::NotOnTop(_) => "not-on-top",
            Self::NothingActive => "nothing-active",
            Self::NotAllowed(_) => "skill-not-allowed",
            Self::NotFound(_) => "session-not-found",
            Self::Contended(_) => "session-contended",
            Self::Refused { code, .. } => code,
            Self::Store(StoreError { retry_after: Some(_), .. }) => "store-unavailable",
            Self::Store(_) => "session-store-failed",
        }
    }
}
