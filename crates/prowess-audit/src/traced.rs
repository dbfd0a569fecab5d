//! Events as `tracing` events. Their names and fields are in the guide
//! `prowess::guide::traces`.

use prowess_core::{
    ApprovalAction, ApprovalEvent, AuditEvent, AuditSink, AuditedDecision, DeactivationCause,
    ReloadEvent, ReviewEvent, RuntimeEvent, SkillActivation, SkillDeactivation, TrustEvent,
    Verdict,
};
use tracing::{debug, info, warn};

/// Emits events with the target `prowess`: skills that are loaded and no longer loaded, reloads and
/// decisions on approvals at level `info`, calls that the gate denies or that wait for a person at
/// `warn`, all other calls at `debug`.
///
/// The layer of `tracing-opentelemetry` exports these events, and the spans of turns and calls
/// around them, to OpenTelemetry. `OpenTelemetry`, behind the feature `opentelemetry`, has metrics
/// and spans of calls without that layer.
#[derive(Clone, Copy, Debug, Default)]
pub struct TracedAudit;

impl AuditSink for TracedAudit {
    fn record(&self, event: &AuditEvent) {
        let intent = &event.intent;
        let skill = intent.skill.as_deref();
        let session = &intent.session;
        let correlation = intent.correlation.as_str();
        if let Some(AuditedDecision { verdict, rule, skill, location, .. }) = &intent.decision {
            let tool = intent.tool.as_str();
            let [rule, skill, location] = [rule, skill, location].map(|it| it.as_deref());
            debug!(name: "decision", target: "prowess", session = &*session.log_name(), tool, ?verdict, rule, skill, location, "decision");
        }
        let is_denied = intent.decision.as_ref().is_some_and(|it| it.verdict == Verdict::Denied);
        if is_denied {
            let tool = intent.tool.as_str();
            warn!(name: "tool_restriction_violated", target: "prowess", session = &*session.log_name(), correlation, skill, tool, "tool_restriction_violated");
        } else {
            debug!(name: "tool_execution", target: "prowess", session = &*session.log_name(), correlation, skill, "tool_execution");
        }
    }

    fn report(&self, event: &RuntimeEvent) {
        match event {
            RuntimeEvent::SkillActivated(event) => activated(event),
            RuntimeEvent::SkillDeactivated(event) => deactivated(event),
            RuntimeEvent::CatalogReloaded(event) => reloaded(event),
            RuntimeEvent::Approval(event) => approval(event),
            RuntimeEvent::Review(event) => reviewed(event),
            RuntimeEvent::Trust(TrustEvent { action, name, by, .. }) => {
                info!(name: "trust_changed", target: "prowess", ?action, trusted = name, by, "trust_changed");
            }
            _ => {}
        }
    }
}

fn activated(event: &SkillActivation) {
    let SkillActivation { session, correlation, skill, .. } = event;
    let correlation = correlation.as_str();
    info!(name: "skill_activated", target: "prowess", session = &*session.log_name(), correlation, skill, "skill_activated");
}

fn deactivated(event: &SkillDeactivation) {
    let SkillDeactivation { session, correlation, skill, duration, .. } = event;
    let correlation = correlation.as_str();
    let seconds = duration.as_secs_f64();
    let cause = cause(event.cause);
    info!(name: "skill_deactivated", target: "prowess", session = &*session.log_name(), correlation, skill, seconds, cause, "skill_deactivated");
}

fn reloaded(event: &ReloadEvent) {
    let ReloadEvent { cause, generation, skills, added, changed, removed, .. } = event;
    info!(name: "catalog_reloaded", target: "prowess", cause, generation, skills, added, changed, removed, "catalog_reloaded");
}

fn approval(event: &ApprovalEvent) {
    let ApprovalEvent { action, id, request, by, session, .. } = event;
    let (id, tool, skill) = (id.to_string(), request.tool.as_str(), request.skill.as_deref());
    let session = &*session.log_name();
    if *action == ApprovalAction::Asked {
        warn!(name: "approval_asked", target: "prowess", session, approval = id, tool, skill, "approval_asked");
    } else {
        let (action, by) = (approval_word(*action), by.as_deref());
        info!(name: "approval_changed", target: "prowess", session, approval = id, tool, skill, action, by, "approval_changed");
    }
}

fn reviewed(event: &ReviewEvent) {
    let ReviewEvent { step, skill, by, proposal, .. } = event;
    let proposal = proposal.as_deref();
    info!(name: "skill_reviewed", target: "prowess", ?step, skill, %by, proposal, "skill_reviewed");
}

fn approval_word(action: ApprovalAction) -> &'static str {
    match action {
        ApprovalAction::Asked => "asked",
        ApprovalAction::Granted => "granted",
        ApprovalAction::Refused => "refused",
        ApprovalAction::Spent => "spent",
        ApprovalAction::Revoked => "revoked",
        ApprovalAction::Expired => "expired",
        _ => "other",
    }
}

fn cause(cause: DeactivationCause) -> &'static str {
    match cause {
        DeactivationCause::Unloaded => "unloaded",
        DeactivationCause::Replaced => "replaced",
        DeactivationCause::TaskCompleted => "on task completion",
        DeactivationCause::SessionClosed => "session closed",
        DeactivationCause::SessionExpired => "session expired",
        DeactivationCause::SessionEvicted => "session evicted",
        DeactivationCause::Revoked => "revoked",
        _ => "other",
    }
}
