//! Audit events and the sink that receives them.

use serde::{Deserialize, Serialize};

use crate::{Caller, Code, Digest, Record, SessionId, Timestamp};

/// How a tool call ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "outcome", content = "code")]
pub enum Outcome {
    /// It ran and returned a result.
    Done,
    /// It was not run, for this reason.
    Refused(Code),
    /// It ran and failed, for this reason.
    Failed(Code),
}

/// A reference to a skill in a call, and the skill that it meant in the catalog of the turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AuditedSkill {
    /// The reference as it was written.
    pub typed: String,
    /// The id of the skill; `None` if the caller may load no skill by that reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The skill's layer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// The author's version of the skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// One tool call. Arguments and results are left out because they may contain secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEvent {
    /// The time of the call.
    pub at: Timestamp,
    /// The session that made the call.
    pub session: SessionId,
    /// The tool's canonical name, or the unknown name that the model wrote.
    pub tool: String,
    /// The caller.
    #[serde(default)]
    pub caller: Caller,
    /// The skills that the call named.
    pub skills: Vec<AuditedSkill>,
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The generation of the turn's catalog.
    pub generation: u64,
}

/// A skill that is not used because another one has its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShadowEvent {
    /// The time at which the first such catalog was built.
    pub at: Timestamp,
    /// The generation of that catalog.
    pub generation: u64,
    /// The id of both.
    pub id: String,
    /// The skill that is used.
    pub used: AuditedOrigin,
    /// The skill that is not used.
    pub shadowed: AuditedOrigin,
}

/// The location and layer of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AuditedOrigin {
    /// The `SKILL.md` as an absolute path or URL.
    pub location: String,
    /// The name of its layer.
    pub layer: String,
}

impl From<Record<'_>> for AuditedOrigin {
    fn from(record: Record<'_>) -> Self {
        Self { location: record.location(), layer: record.layer().name.to_string() }
    }
}

/// A loaded skill whose content was replaced by its current one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefreshEvent {
    /// The start of the turn that found the change.
    pub at: Timestamp,
    /// The session that has the skill loaded.
    pub session: SessionId,
    /// The skill's id.
    pub id: String,
    /// The skill's location and layer.
    #[serde(flatten)]
    pub place: AuditedOrigin,
    /// The digest of the whole `SKILL.md` that was loaded.
    pub before: Digest,
    /// The digest of the file that replaces it.
    pub after: Digest,
}

/// Receives audit events.
///
/// # Behavior
///
/// - `record` is called once for each dispatched call, refused calls included, from any thread.
/// - `shadowed` is called once for each pair of skills when a catalog is published in which one
///   shadows the other, and again if that ends and starts again.
/// - `refreshed` is called once for each loaded skill that a turn refreshes, where the policy asks
///   for it.
/// - No method may panic, and all should return quickly; a sink that has to wait buffers events.
pub trait AuditSink: Send + Sync {
    /// Records a tool call.
    fn record(&self, event: &AuditEvent);

    /// Records that one skill shadows another. By default, does nothing.
    fn shadowed(&self, _event: &ShadowEvent) {}

    /// Records that a loaded skill was refreshed. By default, does nothing.
    fn refreshed(&self, _event: &RefreshEvent) {}
}

/// Discards every event.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoAudit;

impl AuditSink for NoAudit {
    fn record(&self, _event: &AuditEvent) {}
}
