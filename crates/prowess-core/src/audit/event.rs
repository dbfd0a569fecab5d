//! The events of the runtime: changes of loaded skills, catalogs, approvals and plugins.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{CallOrigin, CorrelationId};
use crate::{
    ActiveSkill, Actor, AllowedTools, ApprovalId, ApprovalRequest, ApprovalScope, Digest, Record,
    RefusedHost, SessionId, Timestamp,
};

/// A change of the runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuntimeEvent {
    /// A skill was loaded.
    SkillActivated(SkillActivation),
    /// A skill is no longer loaded.
    SkillDeactivated(SkillDeactivation),
    /// A loaded skill was replaced by its current content.
    SkillRefreshed(RefreshEvent),
    /// A program continues a session in which skills are loaded.
    SessionResumed(SessionResumption),
    /// A skill is not used because another one has its id.
    SkillShadowed(ShadowEvent),
    /// A reload has published a new catalog.
    CatalogReloaded(ReloadEvent),
    /// An approval was requested, granted, refused, spent or revoked, or it has expired.
    Approval(ApprovalEvent),
    /// A plugin was opened, rejected, replaced or has failed.
    Plugin(PluginEvent),
    /// A connection of a script was refused.
    HostRefused(HostRefusal),
    /// A proposal for an update was made or decided, or the files of a skill were changed.
    Review(ReviewEvent),
    /// A person trusts something, or no longer does.
    Trust(TrustEvent),
}

/// A decision of a person about what is trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustEvent {
    /// The time of the decision.
    pub at: Timestamp,
    /// The decision.
    pub action: TrustAction,
    /// The directory, source, signer, reviewed skill, plugin or key.
    pub name: String,
    /// The person.
    pub by: String,
}

/// A decision about what is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TrustAction {
    /// It is trusted from now on.
    Granted,
    /// It is no longer trusted.
    Revoked,
    /// The decision that was recorded last had no effect.
    NotMade,
}

/// A step of the review of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewEvent {
    /// The time of the step.
    pub at: Timestamp,
    /// The step.
    pub step: ReviewStep,
    /// The skill's id.
    pub skill: String,
    /// The person or agent of the step.
    pub by: Actor,
    /// The session in which the proposal was made, as logs name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The name of the proposal; `None` if the change had none.
    pub proposal: Option<String>,
    /// The digest of the proposal, or of the package after a change.
    pub digest: Option<Digest>,
    /// The reason that was given.
    pub reason: Option<String>,
}

/// A step of the review of a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReviewStep {
    /// A proposal was made.
    Proposed,
    /// A reviewer has accepted it. The files change next.
    Accepted,
    /// The files have changed as the proposal says.
    Applied,
    /// The change that was accepted was not made.
    NotMade,
    /// A reviewer has rejected it.
    Rejected,
    /// It was withdrawn.
    Withdrawn,
    /// The files of the skill were returned to an earlier version.
    Restored,
}

/// A connection of a script was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRefusal {
    /// The time of the call that ran the script.
    pub at: Timestamp,
    /// The session.
    pub session: SessionId,
    /// The agent, task, tenant and model.
    pub origin: Arc<CallOrigin>,
    /// The id of the run.
    pub correlation: CorrelationId,
    /// The skill in whose run the script was called.
    pub skill: Option<String>,
    /// The host and the port as the script has named them, and the reason.
    pub refused: RefusedHost,
}

/// A skill was loaded into a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillActivation {
    /// The time of the activation.
    pub at: Timestamp,
    /// The session.
    pub session: SessionId,
    /// The agent, task, tenant and model.
    pub origin: Arc<CallOrigin>,
    /// The id of the run that starts.
    pub correlation: CorrelationId,
    /// The skill's id.
    pub skill: String,
    /// The author's version.
    pub version: Option<String>,
    /// The skill's location and layer.
    pub place: AuditedOrigin,
    /// The digest of the whole `SKILL.md`.
    pub digest: Digest,
    /// The tools that the skill names.
    pub allowed_tools: AllowedTools,
}

/// A skill is no longer loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillDeactivation {
    /// The time of the deactivation.
    pub at: Timestamp,
    /// The session.
    pub session: SessionId,
    /// The agent, task, tenant and model.
    pub origin: Arc<CallOrigin>,
    /// The id of the run that ends.
    pub correlation: CorrelationId,
    /// The skill's id.
    pub skill: String,
    /// The time from the activation to the deactivation.
    pub duration: Duration,
    /// The reason.
    pub cause: DeactivationCause,
}

/// The reason why a skill is no longer loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DeactivationCause {
    /// It was unloaded by a call.
    Unloaded,
    /// It was replaced by another skill.
    Replaced,
    /// The task for which it was loaded has ended.
    TaskCompleted,
    /// The session was closed.
    SessionClosed,
    /// The session was unused for too long.
    SessionExpired,
    /// There were too many sessions, and this one was the least recently used.
    SessionEvicted,
    /// Its digest or its trust has changed.
    Revoked,
}

/// A program continues a session in which skills are loaded: by an earlier call, or by a task that
/// never ended because its program was killed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionResumption {
    /// The time of the resumption.
    pub at: Timestamp,
    /// The session.
    pub session: SessionId,
    /// The loaded skills.
    pub skills: Vec<ResumedSkill>,
}

/// A skill that is still loaded when its session is resumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResumedSkill {
    /// The skill's id.
    pub skill: String,
    /// The id of its run.
    pub correlation: CorrelationId,
    /// The time of its activation.
    pub activated: Timestamp,
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

impl From<&ActiveSkill> for AuditedOrigin {
    fn from(skill: &ActiveSkill) -> Self {
        Self { location: skill.location.clone(), layer: skill.layer.clone() }
    }
}

/// A loaded skill whose content was replaced by its current one. Its run continues.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefreshEvent {
    /// The start of the turn that found the change.
    pub at: Timestamp,
    /// The session that has the skill loaded.
    pub session: SessionId,
    /// The agent, task, tenant and model.
    pub origin: Arc<CallOrigin>,
    /// The id of the skill's run.
    pub correlation: CorrelationId,
    /// The skill's id.
    pub id: String,
    /// The skill's location and layer.
    #[serde(flatten)]
    pub place: AuditedOrigin,
    /// The digest of the whole `SKILL.md` that was loaded.
    pub before: Digest,
    /// The digest of the file that replaces it.
    pub after: Digest,
    /// The rules that are in force from now on.
    pub allowed_tools: AllowedTools,
    /// The rules of the new file, if they are not in force: the skill was replaced without being
    /// loaded again, which never changes what it may do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared_tools: Option<AllowedTools>,
}

/// A reload that has published a new catalog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReloadEvent {
    /// The time of the publication.
    pub at: Timestamp,
    /// The cause, as traces show it: `start`, `manual`, `watch` and so on.
    pub cause: String,
    /// The generation of the catalog that is replaced.
    pub before: u64,
    /// The generation of the new catalog.
    pub generation: u64,
    /// The number of skills in the new catalog.
    pub skills: usize,
    /// The number of ids that only the new catalog has.
    pub added: usize,
    /// The number of ids whose skill has another version or location.
    pub changed: usize,
    /// The number of ids that only the replaced catalog had.
    pub removed: usize,
}

/// A change of an approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalEvent {
    /// The time of the change.
    pub at: Timestamp,
    /// The change.
    pub action: ApprovalAction,
    /// The approval.
    pub id: ApprovalId,
    /// The request to which it is bound.
    pub request: ApprovalRequest,
    /// How often it may be used; `None` while it is only requested.
    pub scope: Option<ApprovalScope>,
    /// The person of the decision, or of the grant that a call has used, as the host names people;
    /// `None` if there is none.
    pub by: Option<String>,
    /// The session in which the call was made.
    pub session: SessionId,
    /// The agent, task, tenant and model of the call that requests or spends it; otherwise only the
    /// tenant.
    pub origin: Arc<CallOrigin>,
    /// The id of the skill's run; `None` if no call made the change.
    pub correlation: Option<CorrelationId>,
}

/// A change of an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ApprovalAction {
    /// A call waits for it.
    Asked,
    /// A person has granted it.
    Granted,
    /// A person has refused it.
    Refused,
    /// A call has used it.
    Spent,
    /// A person has revoked it.
    Revoked,
    /// The change that was recorded last was not made: another host has changed the approval first,
    /// or the store failed.
    NotMade,
    /// It was removed from its store after it had expired, without a decision or without a use.
    Expired,
}

/// A change of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginEvent {
    /// The time of the change.
    pub at: Timestamp,
    /// The change.
    pub action: PluginAction,
    /// The plugin's name, or its path if its name is not known.
    pub plugin: String,
    /// The digest of its file.
    pub digest: Option<Digest>,
    /// The reason, if it was rejected or has failed.
    pub error: Option<String>,
}

/// A change of a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PluginAction {
    /// It was opened.
    Opened,
    /// It was not opened.
    Rejected,
    /// A newer version has replaced it.
    Replaced,
    /// It failed.
    Failed,
}
