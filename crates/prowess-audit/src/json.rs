//! Events as JSON. The names and the order of the fields are a contract with readers of the log.

use jiff::Timestamp as Instant;
use prowess_core::{
    AllowedTools, ApprovalEvent, AuditEvent, AuditedOrigin, CallIntent, CallOrigin, CorrelationId,
    HostRefusal, Outcome, PluginEvent, RefreshEvent, ReloadEvent, ResumedSkill, ReviewEvent,
    RuntimeEvent, SessionId, SessionResumption, ShadowEvent, SkillActivation, SkillDeactivation,
    Timestamp, TrustEvent, Verdict,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Returns the time as ISO 8601 in UTC.
pub(crate) fn time(at: Timestamp) -> String {
    Instant::from(at).to_string()
}

/// The entry of an event, whose fields are added in their order.
pub(crate) struct Entry(Map<String, Value>);

impl Entry {
    /// Creates an entry with the two fields that every event has.
    pub(crate) fn new(event: &str, at: Timestamp) -> Self {
        Self(Map::new()).with(json!({ "event": event, "timestamp": time(at) }))
    }

    /// Adds the fields of an object.
    pub(crate) fn with(mut self, fields: Value) -> Self {
        if let Value::Object(fields) = fields {
            self.0.extend(fields);
        }
        self
    }

    /// Adds a field, unless it has no value.
    fn with_any(self, name: &str, value: Option<impl Serialize>) -> Self {
        match value {
            Some(value) => self.with(json!({ name: value })),
            None => self,
        }
    }

    fn with_origin(
        self,
        session: &SessionId,
        origin: &CallOrigin,
        correlation: Option<&CorrelationId>,
    ) -> Self {
        let entry = self.with(json!({
            "agent_id": origin.agent,
            "task_id": origin.task,
            "tenant_id": origin.tenant,
            "session_id": session.log_name(),
            "correlation_id": correlation,
        }));
        entry.with_any("model", origin.model.as_ref())
    }

    fn with_call(self, intent: &CallIntent) -> Self {
        let CallIntent { call, caller, generation, .. } = intent;
        let decision = intent.decision.as_ref();
        let is_allowed = decision.map(|decision| decision.verdict == Verdict::Allowed);
        self.with_any("skill_name", intent.skill.as_ref())
            .with(json!({ "tool_name": intent.tool }))
            .with_any("tool_allowed", is_allowed)
            .with_origin(&intent.session, &intent.origin, Some(&intent.correlation))
            .with(json!({ "call": call, "caller": caller, "generation": generation }))
            .with_any("skills", Some(&intent.skills).filter(|skills| !skills.is_empty()))
            .with_any("resource", intent.resource.as_ref())
            .with_any("decision", decision)
    }
}

impl From<Entry> for Value {
    fn from(entry: Entry) -> Self {
        entry.0.into()
    }
}

pub(crate) fn intent(intent: &CallIntent) -> Entry {
    Entry::new("tool_call_intended", intent.at).with_call(intent)
}

pub(crate) fn call(event: &AuditEvent) -> Entry {
    let AuditEvent { intent, outcome, error, sandbox, isolation, duration } = event;
    let (ending, code) = match outcome {
        Outcome::Done => ("done", None),
        Outcome::Refused(code) => ("refused", Some(code)),
        Outcome::Failed(code) => ("failed", Some(code)),
    };
    let is_denied = intent.decision.as_ref().is_some_and(|it| it.verdict == Verdict::Denied);
    let name = match outcome {
        _ if is_denied => "tool_restriction_violated",
        Outcome::Refused(_) => "tool_call_refused",
        _ if intent.skill.is_some() => "tool_execution_in_skill",
        _ => "tool_execution",
    };
    let milliseconds = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    Entry::new(name, intent.at)
        .with_call(intent)
        .with_any("error", error.as_ref())
        .with_any("sandbox", sandbox.as_ref())
        .with_any("isolation", isolation.as_ref())
        .with(json!({ "outcome": ending }))
        .with_any("code", code)
        .with(json!({ "duration_ms": milliseconds }))
}

pub(crate) fn runtime(event: &RuntimeEvent) -> Value {
    let entry = match event {
        RuntimeEvent::SkillActivated(event) => activated(event),
        RuntimeEvent::SkillDeactivated(event) => deactivated(event),
        RuntimeEvent::SkillRefreshed(event) => refreshed(event),
        RuntimeEvent::SessionResumed(event) => resumed(event),
        RuntimeEvent::SkillShadowed(event) => shadowed(event),
        RuntimeEvent::CatalogReloaded(event) => reloaded(event),
        RuntimeEvent::Approval(event) => approval(event),
        RuntimeEvent::Plugin(event) => plugin(event),
        RuntimeEvent::HostRefused(event) => host_refused(event),
        RuntimeEvent::Review(event) => reviewed(event),
        RuntimeEvent::Trust(TrustEvent { at, action, name, by }) => {
            Entry::new("trust", *at).with(json!({ "action": action, "name": name, "by": by }))
        }
        other => return json!({ "event": "unknown", "description": format!("{other:?}") }),
    };
    entry.into()
}

fn host_refused(refusal: &HostRefusal) -> Entry {
    let HostRefusal { at, session, origin, correlation, skill, refused } = refusal;
    Entry::new("script_host_refused", *at)
        .with(json!({ "skill_name": skill, "host": refused.host, "code": refused.code }))
        .with_origin(session, origin, Some(correlation))
}

fn activated(activation: &SkillActivation) -> Entry {
    let SkillActivation { at, session, origin, correlation, skill, version, .. } = activation;
    let SkillActivation { allowed_tools, place, digest, .. } = activation;
    Entry::new("skill_activated", *at)
        .with(json!({ "skill_name": skill, "allowed_tools": rules(allowed_tools) }))
        .with_origin(session, origin, Some(correlation))
        .with(json!({ "location": place.location, "layer": place.layer, "digest": digest }))
        .with_any("version", version.as_ref())
}

/// Returns the rules as they were written; null if a skill names no tools, which limits nothing.
fn rules(tools: &AllowedTools) -> Option<Vec<String>> {
    let is_there = *tools != AllowedTools::Absent;
    is_there.then(|| tools.rules().iter().map(ToString::to_string).collect())
}

fn deactivated(deactivation: &SkillDeactivation) -> Entry {
    let SkillDeactivation { at, session, origin, correlation, skill, duration, cause } =
        deactivation;
    let seconds = duration.as_secs_f64();
    Entry::new("skill_deactivated", *at)
        .with(json!({ "skill_name": skill, "duration_seconds": seconds, "cause": cause }))
        .with_origin(session, origin, Some(correlation))
}

fn refreshed(refresh: &RefreshEvent) -> Entry {
    let RefreshEvent { at, session, origin, correlation, id, place, before, after, .. } = refresh;
    let AuditedOrigin { location, layer } = place;
    Entry::new("skill_refreshed", *at)
        .with(json!({ "skill_name": id, "allowed_tools": rules(&refresh.allowed_tools) }))
        .with_any("declared_tools", refresh.declared_tools.as_ref().map(rules))
        .with_origin(session, origin, Some(correlation))
        .with(json!({ "location": location, "layer": layer, "before": before, "after": after }))
}

fn resumed(resumption: &SessionResumption) -> Entry {
    let SessionResumption { at, session, skills } = resumption;
    let skills = skills.iter().map(|ResumedSkill { skill, correlation, activated }| {
        json!({
            "skill_name": skill,
            "correlation_id": correlation,
            "activated": time(*activated),
        })
    });
    let skills: Vec<_> = skills.collect();
    Entry::new("session_resumed", *at)
        .with(json!({ "session_id": session.log_name(), "loaded": skills }))
}

fn shadowed(shadow: &ShadowEvent) -> Entry {
    let ShadowEvent { at, generation, id, used, shadowed } = shadow;
    Entry::new("skill_shadowed", *at).with(
        json!({ "skill_name": id, "used": used, "shadowed": shadowed, "generation": generation }),
    )
}

fn reloaded(reload: &ReloadEvent) -> Entry {
    let ReloadEvent { at, cause, before, generation, skills, added, changed, removed } = reload;
    Entry::new("catalog_reloaded", *at).with(json!({
        "cause": cause,
        "before": before,
        "generation": generation,
        "skills": skills,
        "added": added,
        "changed": changed,
        "removed": removed,
    }))
}

fn approval(approval: &ApprovalEvent) -> Entry {
    let ApprovalEvent { at, action, id, request, scope, by, session, origin, correlation } =
        approval;
    let entry = Entry::new("approval", *at).with(json!({
        "action": action,
        "approval_id": id,
        "tool_name": request.tool,
        "skill_name": request.skill,
        "scope": scope,
        "by": by,
        "package": request.package,
        "arguments": request.arguments,
    }));
    entry.with_origin(session, origin, correlation.as_ref())
}

fn plugin(event: &PluginEvent) -> Entry {
    let PluginEvent { at, action, plugin, digest, error } = event;
    Entry::new("plugin", *at)
        .with(json!({ "action": action, "plugin": plugin, "digest": digest, "error": error }))
}

fn reviewed(event: &ReviewEvent) -> Entry {
    let ReviewEvent { at, step, skill, by, session, proposal, digest, reason } = event;
    Entry::new("review", *at)
        .with(json!({ "step": step, "skill_name": skill, "by": by }))
        .with_any("session_id", session.as_ref())
        .with_any("proposal", proposal.as_ref())
        .with_any("digest", digest.as_ref())
        .with_any("reason", reason.as_ref())
}
