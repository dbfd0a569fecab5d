//! What happened, for whoever must answer for it.

use serde::{Deserialize, Serialize};

use crate::{Caller, Code, Digest, Record, SessionId, Timestamp};

/// How a tool call ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "outcome", content = "code")]
pub enum Outcome {
    /// It ran and gave a result.
    Done,
    /// It was not run, and why.
    Refused(Code),
    /// It ran and failed, and why.
    Failed(Code),
}

/// A skill that a call named, and what that meant in the catalog that the turn had pinned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AuditedSkill {
    /// What was typed.
    pub typed: String,
    /// The id of the skill; none where the caller could not have one by that name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The layer that the skill is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// The version that the skill's author gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// One tool call as the audit sees it. Arguments and results stay out: they may hold secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEvent {
    /// When the call came.
    pub at: Timestamp,
    /// The conversation that it came from.
    pub session: SessionId,
    /// The tool's name in the core's spelling, or the unknown name that the model typed.
    pub tool: String,
    /// Who made the call.
    #[serde(default)]
    pub caller: Caller,
    /// The skills that the call named.
    pub skills: Vec<AuditedSkill>,
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The generation of the catalog that the turn had pinned.
    pub generation: u64,
}

/// A skill that is known and not used, because another has its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShadowEvent {
    /// When the catalog was made in which it is so first.
    pub at: Timestamp,
    /// The generation of that catalog.
    pub generation: u64,
    /// The id that both have.
    pub id: String,
    /// The skill that is used.
    pub used: AuditedPlace,
    /// The one that is not.
    pub shadowed: AuditedPlace,
}

/// Where a skill comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AuditedPlace {
    /// The `SKILL.md` as an absolute path or URL.
    pub location: String,
    /// The name of its layer.
    pub layer: String,
}

impl From<Record<'_>> for AuditedPlace {
    fn from(record: Record<'_>) -> Self {
        Self { location: record.location(), layer: record.layer().name.to_string() }
    }
}

/// A loaded skill whose content was replaced by its current one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefreshEvent {
    /// When the turn began that found it changed.
    pub at: Timestamp,
    /// The conversation that has it loaded.
    pub session: SessionId,
    /// The skill's id.
    pub id: String,
    /// Where it comes from.
    #[serde(flatten)]
    pub place: AuditedPlace,
    /// Of the whole `SKILL.md` that was loaded.
    pub before: Digest,
    /// Of the one that takes its place.
    pub after: Digest,
}

/// Receives events.
///
/// # Behavior
///
/// - `record` is called once for each dispatched call, refused calls included, from any thread.
/// - `shadowed` is called once for each two skills, when the catalog is out in which one begins to be
///   used in the other's stead; and anew if that ended and begins again.
/// - `refreshed` is called once for each loaded skill that a turn refreshes, where the policy asks for it.
/// - None may panic, and all should be quick; a sink that must wait buffers.
pub trait AuditSink: Send + Sync {
    /// Takes note of an event.
    fn record(&self, event: &AuditEvent);

    /// Takes note that a skill is used in the stead of another. By default nothing is noted.
    fn shadowed(&self, _event: &ShadowEvent) {}

    /// Records that a loaded skill was refreshed. By default, does nothing.
    fn refreshed(&self, _event: &RefreshEvent) {}
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoAudit;

impl AuditSink for NoAudit {
    fn record(&self, _event: &AuditEvent) {}
}
