//! The audit of calls: their intents, their outcomes, and the skills that they name.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use prowess_core::{
    AuditEvent, AuditPolicy, AuditSink, AuditedSkill, CallIntent, HostRefusal, NoAudit,
    RefusedHost, RuntimeEvent, ToolContext,
};
use tracing::warn;

use crate::codes;
use crate::gate::Refusal;
use crate::guarded::guarded;

/// The maximum number of skills of one call in the audit.
const MOST_SKILLS: usize = 64;

/// The maximum number of characters of a reference in the audit.
const MOST_CHARACTERS: usize = 256;

/// The audit of one toolbox: numbers its calls, stores intents, records outcomes.
///
/// A host that runs tools of its own through the gate uses the same audit for them: `intent`, the
/// gate, [`Self::intend`], the run, [`Self::record`]. Clones share the numbers.
#[derive(Clone)]
pub struct CallAudit {
    sink: Arc<dyn AuditSink>,
    policy: AuditPolicy,
    calls: Arc<AtomicU64>,
}

impl CallAudit {
    /// Creates the audit of calls that `sink` receives.
    pub fn new(sink: Arc<dyn AuditSink>, policy: AuditPolicy) -> Self {
        Self { sink, policy, calls: Arc::default() }
    }

    /// Returns the sink.
    pub fn sink(&self) -> &Arc<dyn AuditSink> {
        &self.sink
    }

    /// Returns the description of a call of `tool`, with the next number.
    pub fn intent(&self, context: &ToolContext<'_>, tool: &str) -> CallIntent {
        let session = context.session.id();
        let state = context.session.state().ok();
        let skill = state.as_ref().and_then(|state| state.current());
        CallIntent {
            at: context.clock.now(),
            call: self.calls.fetch_add(1, Ordering::Relaxed) + 1,
            session: session.clone(),
            origin: Arc::clone(context.origin),
            correlation: match skill {
                Some(skill) => context.origin.run(session, skill),
                None => context.origin.session(session),
            },
            tool: clipped(tool),
            caller: context.caller,
            skill: skill.map(|skill| skill.id.clone()),
            skills: Vec::new(),
            resource: None,
            decision: None,
            generation: context.catalog.generation(),
        }
    }

    /// Stores the intent of a call that may run.
    ///
    /// # Errors
    ///
    /// The sink fails or panics, and the policy requires a stored intent.
    pub fn intend(&self, intent: &CallIntent) -> Result<(), Refusal> {
        let error = match guarded(|| self.sink.intend(intent)) {
            Some(Ok(())) => return Ok(()),
            Some(Err(error)) => error.to_string(),
            None => "the audit panicked".to_owned(),
        };
        warn!(target: "prowess", %error, "audit_failed");
        match self.policy {
            AuditPolicy::BestEffort => Ok(()),
            AuditPolicy::Required => {
                let message = "not run: the audit of this host cannot be written; tell the user";
                Err(Refusal::new(codes::AUDIT_UNAVAILABLE, message))
            }
        }
    }

    /// Reports a connection that was refused to the script of a call.
    pub(crate) fn refused(&self, intent: &CallIntent, refused: &RefusedHost) {
        let CallIntent { at, session, origin, correlation, skill, .. } = intent;
        let event = RuntimeEvent::HostRefused(HostRefusal {
            at: *at,
            session: session.clone(),
            origin: Arc::clone(origin),
            correlation: correlation.clone(),
            skill: skill.clone(),
            refused: refused.clone(),
        });
        if guarded(|| self.sink.report(&event)).is_none() {
            warn!(target: "prowess", error = "the audit panicked", "audit_failed");
        }
    }

    /// Records how a call ended. A sink that panics changes nothing.
    pub fn record(&self, event: &AuditEvent) {
        if guarded(|| self.sink.record(event)).is_none() {
            warn!(target: "prowess", error = "the audit panicked", "audit_failed");
        }
    }
}

impl Default for CallAudit {
    fn default() -> Self {
        Self::new(Arc::new(NoAudit), AuditPolicy::default())
    }
}

impl fmt::Debug for CallAudit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "CallAudit({:?})", self.policy)
    }
}

/// Returns the audited form of the skills that a call names.
pub(crate) fn skills(context: &ToolContext<'_>, named: &[&str]) -> Vec<AuditedSkill> {
    named.iter().take(MOST_SKILLS).map(|reference| skill(context, reference)).collect()
}

fn skill(context: &ToolContext<'_>, typed: &str) -> AuditedSkill {
    let meant = context.catalog.find(typed, context.caller).found();
    AuditedSkill {
        typed: clipped(typed),
        id: meant.map(|record| record.id().to_owned()),
        layer: meant.map(|record| record.layer().name.to_string()),
        version: meant.and_then(|record| record.version()).map(str::to_owned),
    }
}

pub(crate) fn clipped(text: &str) -> String {
    let end = text.char_indices().nth(MOST_CHARACTERS).map_or(text.len(), |(end, _)| end);
    text[..end].to_owned()
}
