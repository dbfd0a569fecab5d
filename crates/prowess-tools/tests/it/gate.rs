//! The step between the check of the arguments and the run.

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::Mutex;

use prowess_core::{ApprovalId, Code, Outcome, SkillError, ToolCall, ToolResult, Verdict};
use prowess_tools::{Dispatched, Gate, GateAnswer, GateRequest, Refusal};
use serde_json::{Value, json};

use crate::fixture::{Host, Setup, check_error};

/// Lets nothing pass and remembers what it was asked.
#[derive(Default)]
struct Closed(Mutex<Vec<(String, Value)>>);

impl Gate for Closed {
    fn check(&self, request: &GateRequest<'_>) -> GateAnswer {
        let asked = (request.tool.to_owned(), request.arguments.clone());
        self.0.lock().expect("no test panics here").push(asked);
        let code = Code::new("not-approved");
        GateAnswer::deny(Refusal::new(code, "the user has not approved this; ask the user first"))
    }
}

struct Broken;

impl Gate for Broken {
    fn check(&self, _request: &GateRequest<'_>) -> GateAnswer {
        panic!("the gate breaks down")
    }
}

fn behind(gate: Arc<dyn Gate>) -> Host {
    Host::new(Setup { gate: Some(gate), ..Setup::default() })
}

#[test]
fn a_refused_call_is_not_run() {
    let gate = Arc::new(Closed::default());
    let host = behind(gate.clone());
    let answer = host.call("skills_load", json!({ "names": ["alpha"], "mode": null }));
    let sentence = "the user has not approved this; ask the user first";
    check_error(&answer, "not-approved", sentence);
    assert_eq!(host.active(), "", "nothing was loaded");
    assert_eq!(host.source.reads(), Vec::<String>::new(), "nothing was read");
    let asked = gate.0.lock().expect("no test panics here").clone();
    let expected = [("skills.load".to_owned(), json!({ "names": ["alpha"] }))];
    assert_eq!(asked, expected, "the gate sees the core's name and what would be run");
    let events = host.audit.events();
    assert_eq!(events[0].outcome, Outcome::Refused(Code::new("not-approved")));
}

#[test]
fn a_gate_is_not_asked_about_a_call_that_does_not_fit() {
    let gate = Arc::new(Closed::default());
    let host = behind(gate.clone());
    host.call("skills_load", json!({ "names": 3 }));
    host.call("skills_lod", json!({ "names": ["alpha"] }));
    assert!(gate.0.lock().expect("no test panics here").is_empty());
    assert!(host.audit.intents().is_empty(), "nothing was going to run");
    let event = &host.audit.events()[0];
    assert_eq!((&event.intent.decision, &event.error), (&None, &None));
}

#[test]
fn a_gate_that_panics_refuses() {
    let host = behind(Arc::new(Broken));
    let answer = host.call("skills_load", json!({ "names": ["alpha"] }));
    check_error(
        &answer,
        "gate-failed",
        "`skills_load` was not run: whether it may run could not be found out; tell the user",
    );
    assert_eq!(host.active(), "", "a broken gate is a closed gate");
}

/// Asks a person about each call.
struct Asking;

impl Gate for Asking {
    fn check(&self, request: &GateRequest<'_>) -> GateAnswer {
        assert_eq!((request.tool, request.spelled), ("skills.load", "skills_load"));
        let refusal = Refusal::new(Code::new("approval-required"), "ask the user first");
        GateAnswer::ask(refusal, ApprovalId::new("a1"))
    }
}

#[test]
fn pending_approvals_reach_the_host_alone() {
    let host = behind(Arc::new(Asking));
    let answer = host.call("skills_load", json!({ "names": ["alpha"] }));
    assert_eq!(answer.approval, Some(ApprovalId::new("a1")));
    let verdict = answer.decision.as_ref().map(|decision| decision.verdict);
    assert_eq!(verdict, Some(Verdict::Asked));
    let shown = serde_json::to_string(&answer).expect("it is a value");
    assert!(!shown.contains("a1"), "the model does not get the id");
    assert_eq!(host.active(), "", "nothing was loaded");
    let decision = host.audit.events()[0].intent.decision.clone();
    assert_eq!(decision, answer.decision, "the audit has the same decision");
}

/// Runs a tool of the host's own, and returns the result and how often it ran.
fn guard(host: &Host, run: impl Fn() -> ToolResult) -> (Dispatched, usize) {
    let runs = Cell::new(0);
    let call = ToolCall::new("Deploy", json!({ "to": "live" }));
    let answer = host.toolbox.guard(&host.context(), &call, || {
        runs.set(runs.get() + 1);
        run()
    });
    (answer, runs.get())
}

#[test]
fn tools_of_the_host_run_behind_the_gate() {
    let host = Host::new(Setup::default());
    let (answer, runs) = guard(&host, || ToolResult::text("deployed"));
    assert_eq!(runs, 1);
    assert_eq!(answer.result, ToolResult::text("deployed"));
    let event = &host.audit.events()[0];
    assert_eq!((event.intent.tool.as_str(), &event.outcome), ("Deploy", &Outcome::Done));
}

#[test]
fn admitted_call_without_a_result_was_cancelled() {
    let host = Host::new(Setup::default());
    let call = Cow::Owned(ToolCall::new("Deploy", json!({ "to": "live" })));
    let admitted = host.toolbox.admit(&host.context(), call).expect("every call may run");
    assert!(host.audit.events().is_empty(), "it has no end yet");
    let answer = host.toolbox.drop_admitted(&host.context(), admitted);
    check_error(&answer, "cancelled", "the call was cancelled while it ran");
    let outcome = host.audit.events()[0].outcome.clone();
    assert_eq!(outcome, Outcome::Failed(Code::new("cancelled")));
}

#[test]
fn refused_tools_of_the_host_do_not_run() {
    let gate = Arc::new(Closed::default());
    let host = behind(gate.clone());
    let (answer, runs) = guard(&host, || ToolResult::text("deployed"));
    check_error(&answer, "not-approved", "the user has not approved this; ask the user first");
    assert_eq!(runs, 0, "it is not run");
    let asked = gate.0.lock().expect("no test panics here").clone();
    assert_eq!(asked, [("Deploy".to_owned(), json!({ "to": "live" }))]);
    let outcome = host.audit.events()[0].outcome.clone();
    assert_eq!(outcome, Outcome::Refused(Code::new("not-approved")));
}

#[test]
fn tools_of_the_host_that_panic_have_failed() {
    let host = Host::new(Setup::default());
    let (answer, runs) = guard(&host, || panic!("the disk is gone"));
    let sentence = "the tool broke down while it worked; go on without it";
    check_error(&answer, "tool-failed", sentence);
    assert_eq!(runs, 1);
}

/// Denies every call with an error for hosts.
struct Typed;

impl Gate for Typed {
    fn check(&self, request: &GateRequest<'_>) -> GateAnswer {
        let error = SkillError::NotFound { skill: request.tool.to_owned() };
        GateAnswer::deny(Refusal::new(Code::new("not-approved"), "no").with_error(error))
    }
}

#[test]
fn error_of_a_gate_reaches_the_host() {
    let host = behind(Arc::new(Typed));
    let answer = host.call("skills_list", json!({}));
    let error = answer.result.error.expect("the refusal has an error");
    assert!(matches!(*error, SkillError::NotFound { skill } if skill == "skills.list"));
}
