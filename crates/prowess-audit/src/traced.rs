//! Events as `tracing` events. Their names and fields are in the guide
//! `prowess::guide::traces`.

use prowess_core::{
    AuditEvent, AuditSink, DeactivationCause, RuntimeEvent, SkillActivation, SkillDeactivation,
    Verdict,
};
use tracing::{debug, info, warn};

/// Emits events with the target `prowess`: skills that are loaded and no longer loaded at level
/// `info`, calls that the gate denies at `warn`, all other calls at `debug`.
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
