//! Events as JSON. The names and the order of the fields are a contract with readers of the log.

use jiff::Timestamp as Instant;
use prowess_core::{
    AllowedTools, ApprovalEvent, AuditEvent, AuditedOrigin, CallIntent, CallOrigin, CorrelationId,
    HostRefusal, Outcome, PluginEvent, RefreshEvent, ReloadEvent, ResumedSkill, RuntimeEvent,
    SessionId, SessionResumption, ShadowEvent, SkillActivation, SkillDeactivation, Timestamp,
    Verdict,
};
use serde_json::{Map, Value, json};

type Object = Map<String, Value>;

/// Returns the time as ISO 8601 in UTC.
pub(crate) fn time(at: Timestamp) -> String {
    Instant::from(at).to_string()
}

pub(crate) fn intent(intent: &CallIntent) -> Value {
    let mut object = event("tool_call_intended", intent.at);
    add_call(&mut object, intent);
    object.into()
}

pub(crate) fn call(event: &AuditEvent) -> Value {
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
    let mut object = self::event(name, intent.at);
    add_call(&mut object, intent);
    if let Some(error) = error {
        object.insert("error".to_owned(), error.as_str().into());
    }
    if let Some(sandbox) = sandbox {
        object.insert("sandbox".to_owned(), sandbox.as_str().into());
    }
    if let Some(isolation) = isolation {
        object.insert("isolation".to_owned(), isolation.as_str().into());
    }
    object.insert("outcome".to_owned(), ending.into());
    if let Some(code) = code {
        object.insert("code".to_owned(), code.as_str().into());
    }
    let milliseconds = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    object.insert("duration_ms".to_owned(), milliseconds.into());
    object.into()
}

pub(crate) fn runtime(event: &RuntimeEvent) -> Value {
    match event {
        RuntimeEvent::SkillActivated(event) => activated(event),
        RuntimeEvent::SkillDeactivated(event) => deactivated(event),
        RuntimeEvent::SkillRefreshed(event) => refreshed(event),
        RuntimeEvent::SessionResumed(event) => resumed(event),
        RuntimeEvent::SkillShadowed(event) => shadowed(event),
        RuntimeEvent::CatalogReloaded(event) => reloaded(event),
        RuntimeEvent::Approval(event) => approval(event),
        RuntimeEvent::Plugin(event) => plugin(event),
        RuntimeEvent::HostRefused(event) => host_refused(event),
        other => json!({ "event": "unknown", "description": format!("{other:?}") }),
    }
}

/// Returns an object with the two fields that every event has.
pub(crate) fn event(name: &str, at: Timestamp) -> Object {
    let mut object = Object::new();
    object.insert("event".to_owned(), name.into());
    object.insert("timestamp".to_owned(), time(at).into());
    object
}

fn add(object: &mut Object, more: Value) {
    if let Value::Object(more) = more {
        object.extend(more);
    }
}

fn add_origin(
    object: &mut Object,
    session: &SessionId,
    origin: &CallOrigin,
    correlation: Option<&CorrelationId>,
) {
    add(
        object,
        json!({
            "agent_id": origin.agent,
            "task_id": origin.task,
            "tenant_id": origin.tenant,
            "session_id": session.log_name(),
            "correlation_id": correlation,
        }),
    );
    if let Some(model) = &origin.model {
        object.insert("model".to_owned(), model.as_str().into());
    }
}

fn add_call(object: &mut Object, intent: &CallIntent) {
    if let Some(skill) = &intent.skill {
        object.insert("skill_name".to_owned(), skill.as_str().into());
    }
    object.insert("tool_name".to_owned(), intent.tool.as_str().into());
    if let Some(decision) = &intent.decision {
        let is_allowed = decision.verdict == Verdict::Allowed;
        object.insert("tool_allowed".to_owned(), is_allowed.into());
    }
    add_origin(object, &intent.session, &intent.origin, Some(&intent.correlation));
    let CallIntent { call, caller, generation, .. } = intent;
    add(object, json!({ "call": call, "caller": caller, "generation": generation }));
    if !intent.skills.is_empty() {
        object.insert("skills".to_owned(), json!(intent.skills));
    }
    if let Some(resource) = &intent.resource {
        object.insert("resource".to_owned(), resource.as_str().into());
    }
    if let Some(decision) = &intent.decision {
        object.insert("decision".to_owned(), json!(decision));
    }
}

fn host_refused(refusal: &HostRefusal) -> Value {
    let HostRefusal { at, session, origin, correlation, skill, refused } = refusal;
    let mut object = event("script_host_refused", *at);
    add(&mut object, json!({ "skill_name": skill, "host": refused.host, "code": refused.code }));
    add_origin(&mut object, session, origin, Some(correlation));
    object.into()
}

fn activated(activation: &SkillActivation) -> Value {
    let SkillActivation { at, session, origin, correlation, skill, version, .. } = activation;
    let mut object = event("skill_activated", *at);
    let rules = rules(&activation.allowed_tools);
    add(&mut object, json!({ "skill_name": skill, "allowed_tools": rules }));
    add_origin(&mut object, session, origin, Some(correlation));
    let AuditedOrigin { location, layer } = &activation.place;
    let digest = activation.digest;
    let place = json!({ "location": location, "layer": layer, "digest": digest });
    add(&mut object, place);
    if let Some(version) = version {
        object.insert("version".to_owned(), version.as_str().into());
    }
    object.into()
}

fn rules(tools: &AllowedTools) -> Vec<String> {
    tools.rules().iter().map(ToString::to_string).collect()
}

fn deactivated(deactivation: &SkillDeactivation) -> Value {
    let SkillDeactivation { at, session, origin, correlation, skill, duration, cause } =
        deactivation;
    let mut object = event("skill_deactivated", *at);
    add(
        &mut object,
        json!({ "skill_name": skill, "duration_seconds": duration.as_secs_f64(), "cause": cause }),
    );
    add_origin(&mut object, session, origin, Some(correlation));
    object.into()
}

fn refreshed(refresh: &RefreshEvent) -> Value {
    let RefreshEvent { at, session, origin, correlation, id, place, before, after, .. } = refresh;
    let mut object = event("skill_refreshed", *at);
    add(&mut object, json!({ "skill_name": id, "allowed_tools": rules(&refresh.allowed_tools) }));
    if let Some(declared) = &refresh.declared_tools {
        object.insert("declared_tools".to_owned(), json!(rules(declared)));
    }
    add_origin(&mut object, session, origin, Some(correlation));
    let AuditedOrigin { location, layer } = place;
    let change = json!({ "location": location, "layer": layer, "before": before, "after": after });
    add(&mut object, change);
    object.into()
}

fn resumed(resumption: &SessionResumption) -> Value {
    let SessionResumption { at, session, skills } = resumption;
    let skills = skills.iter().map(|ResumedSkill { skill, correlation, activated }| {
        json!({
            "skill_name": skill,
            "correlation_id": correlation,
            "activated": time(*activated),
        })
    });
    let mut object = event("session_resumed", *at);
    let details = json!({ "session_id": session.log_name(), "loaded": skills.collect::<Vec<_>>() });
    add(&mut object, details);
    object.into()
}

fn shadowed(shadow: &ShadowEvent) -> Value {
    let ShadowEvent { at, generation, id, used, shadowed } = shadow;
    let mut object = event("skill_shadowed", *at);
    let details =
        json!({ "skill_name": id, "used": used, "shadowed": shadowed, "generation": generation });
    add(&mut object, details);
    object.into()
}

fn reloaded(reload: &ReloadEvent) -> Value {
    let ReloadEvent { at, cause, before, generation, skills, added, changed, removed } = reload;
    let mut object = event("catalog_reloaded", *at);
    add(
        &mut object,
        json!({
            "cause": cause,
            "before": before,
            "generation": generation,
            "skills": skills,
            "added": added,
            "changed": changed,
            "removed": removed,
        }),
    );
    object.into()
}

fn approval(approval: &ApprovalEvent) -> Value {
    let ApprovalEvent { at, action, id, request, scope, by, session, origin, correlation } =
        approval;
    let mut object = event("approval", *at);
    add(
        &mut object,
        json!({
            "action": action,
            "approval_id": id,
            "tool_name": request.tool,
            "skill_name": request.skill,
            "scope": scope,
            "by": by,
            "package": request.package,
            "arguments": request.arguments,
        }),
    );
    add_origin(&mut object, session, origin, correlation.as_ref());
    object.into()
}

fn plugin(event: &PluginEvent) -> Value {
    let PluginEvent { at, action, plugin, digest, error } = event;
    let mut object = self::event("plugin", *at);
    let details = json!({ "action": action, "plugin": plugin, "digest": digest, "error": error });
    add(&mut object, details);
    object.into()
}
