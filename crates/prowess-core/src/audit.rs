//! The audit: its events, and the sink that receives them.

mod call;
mod event;
mod origin;

use serde::{Deserialize, Serialize};

pub use call::{AuditEvent, AuditedDecision, AuditedSkill, CallIntent, Outcome, Verdict};
pub use event::{
    ApprovalAction, ApprovalEvent, AuditedOrigin, DeactivationCause, HostRefusal, PluginAction,
    PluginEvent, RefreshEvent, ReloadEvent, ResumedSkill, ReviewEvent, ReviewStep, RuntimeEvent,
    SessionResumption, ShadowEvent, SkillActivation, SkillDeactivation, TrustAction, TrustEvent,
};
pub use origin::{CallOrigin, CorrelationId};

/// Receives audit events.
///
/// # Behavior
///
/// - `intend` is called once for each call that passed every check, before it runs. The event of
///   its outcome follows, unless the process ends in between.
/// - `record` is called once for each dispatched call, refused calls included, from any thread.
/// - `report` is called once for each change of the runtime: a skill is loaded, unloaded, refreshed
///   or starts to shadow another, the catalog is replaced, an approval or a plugin changes. `store`
///   is called instead where a change depends on its record.
/// - After `intend` returned `Ok`, the intent survives the end of the process, if the sink stores
///   events at all.
/// - No method may panic. A sink that has to wait for anything but its own storage buffers events.
pub trait AuditSink: Send + Sync {
    /// Stores the intent to run a call. By default, does nothing.
    ///
    /// # Errors
    ///
    /// Returns an error if the intent could not be stored. Under [`AuditPolicy::Required`], the
    /// call is then refused.
    fn intend(&self, _intent: &CallIntent) -> Result<(), AuditError> {
        Ok(())
    }

    /// Records the outcome of a tool call.
    fn record(&self, event: &AuditEvent);

    /// Records a change of the runtime. By default, does nothing.
    fn report(&self, _event: &RuntimeEvent) {}

    /// Records a change that matters as much as a call: the decision of a person. By default,
    /// reports it.
    ///
    /// # Errors
    ///
    /// Returns an error if the event could not be stored. Under [`AuditPolicy::Required`], the
    /// change is then not made.
    fn store(&self, event: &RuntimeEvent) -> Result<(), AuditError> {
        self.report(event);
        Ok(())
    }

    /// Returns the location of the log, if events are kept in one that other programs can write.
    /// By default, `None`.
    fn location(&self) -> Option<String> {
        None
    }
}

/// Whether a call may run although its intent could not be stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditPolicy {
    /// The call may run: a failing sink never stops a call. The default.
    #[default]
    BestEffort,
    /// The call is refused: no call runs without a stored intent.
    Required,
}

/// The error of an audit sink, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the audit cannot be written: {0}")]
pub struct AuditError(pub String);

/// Discards every event.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoAudit;

impl AuditSink for NoAudit {
    fn record(&self, _event: &AuditEvent) {}
}
