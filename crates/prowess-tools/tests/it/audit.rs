//! The intent before a run, the outcome after it, and the limits that come first.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use prowess_core::{
    AuditError, AuditPolicy, CallIntent, CallOrigin, CallUsage, Code, CorrelationId, CostTracker,
    Outcome, RateLimited, RateLimiter, RefusedHost, RuntimeEvent, Session, ToolCall, ToolContext,
    ToolResult, Verdict,
};
use prowess_testkit::{AuditRecorder, TestTool, TestTools};
use prowess_tools::{CallAudit, Gate, GateAnswer, GateRequest, Refusal, ToolNaming, Toolbox};
use serde_json::json;

use crate::fixture::{Host, Recorder, Setup, check_error};

fn full() -> Result<(), AuditError> {
    Err(AuditError("no space left on device".to_owned()))
}

fn broken() -> Result<(), AuditError> {
    panic!("the sink breaks down")
}

fn behind(before_intent: fn() -> Result<(), AuditError>, audit_policy: AuditPolicy) -> Host {
    let audit = Recorder::checking(before_intent);
    Host::new(Setup { audit, audit_policy, ..Setup::default() })
}

#[test]
fn required_audit_that_fails_refuses_the_call() {
    for sink in [full, broken] {
        let host = behind(sink, AuditPolicy::Required);
        let answer = host.call("skills_load", json!({ "names": ["alpha"] }));
        let message = "not run: the audit of this host cannot be written; tell the user";
        check_error(&answer, "audit-unavailable", message);
        assert_eq!(host.source.reads(), Vec::<String>::new(), "nothing ran");
        assert_eq!(host.active(), "");
        let outcome = &host.audit.events()[0].outcome;
        assert_eq!(*outcome, Outcome::Refused(Code::new("audit-unavailable")));
    }
}

#[test]
fn best_effort_audit_that_fails_stops_nothing() {
    for sink in [full, broken] {
        let host = behind(sink, AuditPolicy::BestEffort);
        host.done("skills_load", json!({ "names": ["alpha"] }));
        assert_eq!(host.active(), "alpha");
    }
}

#[test]
fn intent_and_outcome_describe_the_same_call() {
    let mut host = Host::new(Setup::default());
    host.origin = Arc::new(CallOrigin { task: Some("t-1".to_owned()), ..CallOrigin::default() });
    host.done("skills_load", json!({ "names": ["alpha", "beta"] }));
    host.clock.advance(Duration::from_secs(2));
    let read = host.call("skills_read", json!({ "path": "references/guide.md" }));
    assert_eq!(read.skill.as_deref(), Some("beta"), "whose file it is");
    let [intents, outcomes] =
        [host.audit.intents(), host.audit.events().into_iter().map(|event| event.intent).collect()];
    assert_eq!(intents, outcomes, "the outcome repeats the intent");
    let missing = host.call("skills_load", json!({ "names": ["nope"] }));
    assert_eq!(missing.skill.as_deref(), Some("nope"), "not the skill that was loaded last");
    let read = &intents[1];
    assert_eq!((read.call, read.tool.as_str()), (2, "skills.read"));
    assert_eq!(read.skill.as_deref(), Some("beta"), "the skill that was loaded last");
    assert_eq!(read.resource.as_deref(), Some("references/guide.md"));
    assert_eq!(read.origin.task.as_deref(), Some("t-1"));
    let verdict = read.decision.as_ref().map(|decision| decision.verdict);
    assert_eq!(verdict, Some(Verdict::Allowed));
    let started = host.session.state().expect("it is open").active[1].activated_at;
    assert_eq!(read.correlation, CorrelationId::of_run(&read.session, "beta", started));
    assert_eq!(intents[0].correlation, CorrelationId::of_session(&read.session), "none loaded");
}

#[test]
fn id_of_the_host_replaces_computed_ones() {
    let host = Host::new(Setup::default());
    let id = CorrelationId::new("trace-7");
    let origin = CallOrigin { correlation: Some(id.clone()), ..CallOrigin::default() };
    let origin = Arc::new(origin);
    let context = ToolContext { origin: &origin, ..host.context() };
    host.toolbox.dispatch(&context, &ToolCall::new("skills_lod", json!({})));
    assert_eq!(host.audit.events()[0].intent.correlation, id);
}

struct Deny;

impl Gate for Deny {
    fn check(&self, _request: &GateRequest<'_>) -> GateAnswer {
        GateAnswer::deny(Refusal::new(Code::new("tool-not-allowed"), "`alpha` does not allow this"))
    }
}

#[test]
fn denied_call_has_no_intent_and_names_the_denial() {
    let host = Host::new(Setup { gate: Some(Arc::new(Deny)), ..Setup::default() });
    host.call("skills_load", json!({ "names": ["alpha"] }));
    assert!(host.audit.intents().is_empty(), "nothing was going to run");
    let event = &host.audit.events()[0];
    let verdict = event.intent.decision.as_ref().map(|decision| decision.verdict);
    assert_eq!(verdict, Some(Verdict::Denied));
    assert_eq!(event.error.as_deref(), Some("`alpha` does not allow this"));
}

/// Admits a number of calls.
struct Only(Mutex<usize>);

impl RateLimiter for Only {
    fn admit(&self, _intent: &CallIntent) -> Result<(), RateLimited> {
        let mut left = self.0.lock().expect("no test panics here");
        let retry_after = Some(Duration::from_secs(30));
        *left = left.checked_sub(1).ok_or(RateLimited { retry_after })?;
        Ok(())
    }
}

struct BrokenLimiter;

impl RateLimiter for BrokenLimiter {
    fn admit(&self, _intent: &CallIntent) -> Result<(), RateLimited> {
        panic!("the limiter breaks down")
    }
}

#[test]
fn limited_call_is_audited_and_not_run() {
    for (gate, first) in [(None, None), (Some(Arc::new(Deny) as _), Some("tool-not-allowed"))] {
        let limiter = Some(Arc::new(Only(Mutex::new(1))) as Arc<dyn RateLimiter>);
        let host = Host::new(Setup { limiter, gate, ..Setup::default() });
        let first_answer = host.call("skills_load", json!({ "names": ["alpha"] })).result;
        assert_eq!(first_answer.code.as_ref().map(Code::as_str), first);
        let answer = host.call("skills_load", json!({ "names": ["beta"] }));
        check_error(&answer, "rate-limited", "not run: too many calls; try again in 30s");
        assert_ne!(host.active(), "beta", "it was not run");
        let outcome = host.audit.events().pop().map(|event| event.outcome);
        assert_eq!(outcome, Some(Outcome::Refused(Code::new("rate-limited"))));
    }
}

#[test]
fn broken_limiter_refuses() {
    let limiter = Some(Arc::new(BrokenLimiter) as Arc<dyn RateLimiter>);
    let host = Host::new(Setup { limiter, ..Setup::default() });
    let answer = host.call("skills_load", json!({ "names": ["alpha"] }));
    let message = "not run: the rate limiter of this host failed; tell the user";
    check_error(&answer, "rate-limited", message);
    assert_eq!(host.active(), "");
}

/// Sums the tokens by tool.
#[derive(Default)]
struct Sum(Mutex<BTreeMap<String, [usize; 2]>>);

impl CostTracker for Sum {
    fn track(&self, usage: &CallUsage<'_>) {
        let mut sums = self.0.lock().expect("no test panics here");
        let sum = sums.entry(usage.intent.tool.clone()).or_default();
        sum[0] += usage.argument_tokens;
        sum[1] += usage.result_tokens;
    }
}

#[test]
fn cost_tracker_sums_a_conversation() {
    let costs = Arc::new(Sum::default());
    let host = Host::new(Setup { costs: Some(costs.clone()), ..Setup::default() });
    host.done("skills_load", json!({ "names": ["alpha"] }));
    // {"path":"references/guide.md"} are 30 characters, `The guide of alpha` and a line feed 19.
    host.done("skills_read", json!({ "path": "references/guide.md" }));
    host.done("skills_read", json!({ "path": "references/guide.md" }));
    host.call("skills_read", json!({ "path": 3 }));
    let sums = costs.0.lock().expect("no test panics here").clone();
    assert_eq!(sums["skills.read"], [2 * 8, 2 * 5], "a refused call costs nothing");
    assert!(sums["skills.load"].iter().all(|&tokens| tokens > 0), "{sums:?}");
}

#[test]
fn refused_connections_of_a_call_are_reported() {
    let sink = Arc::new(AuditRecorder::default());
    let refused =
        RefusedHost { host: "evil.example:443".to_owned(), code: Code::new("host-denied") };
    let result = ToolResult { refused_hosts: vec![refused.clone()], ..ToolResult::text("done") };
    let tool = TestTool::new("fixed", "Connects.", move |_, _| result.clone());
    let host = Host::new(Setup::default());
    let toolbox = Toolbox::builder(ToolNaming::default())
        .provider(&TestTools::one(tool))
        .audit(CallAudit::new(sink.clone(), AuditPolicy::BestEffort))
        .build()
        .expect("the tool is valid");
    toolbox.dispatch(&host.context(), &ToolCall::new("fixed", json!({})));
    let changes = sink.take_changes();
    let [RuntimeEvent::HostRefused(refusal)] = &changes[..] else {
        panic!("one connection was refused: {changes:?}")
    };
    assert_eq!(refusal.refused, refused);
    assert_eq!(refusal.session, *host.session.id());
}
