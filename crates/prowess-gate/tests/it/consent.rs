//! Calls that need the consent of a person.

use prowess_core::{
    Approval, ApprovalId, ApprovalRequest, ApprovalScope, ArgumentPattern, Timestamp, Trust,
};
use prowess_gate::{Decision, ToolKind};

use crate::support::{Call, bash, check, other, trusted, unlisted};

/// A call that runs something of the first of two skills; the second one was loaded last.
fn call() -> Call {
    let script = unlisted().of(Trust::Untrusted).packaged("one");
    let call = other("skills.run").with_skills(&[script, trusted("skills.run")]);
    Call { consent: Some(0), ..call }
}

/// Returns an approval of what the call asks for.
fn approval_of(call: &Call) -> Approval {
    let Decision::Ask { request, .. } = call.decide() else { panic!("it is asked") };
    approval(*request)
}

fn approval(request: ApprovalRequest) -> Approval {
    Approval {
        id: ApprovalId::new("approval"),
        request,
        scope: ApprovalScope::Always,
        session: None,
        granted: Timestamp(0),
        expires: None,
    }
}

#[test]
fn no_grant_replaces_the_consent() {
    check(&call(), "ask");
    check(&call().with_policy(r#"{ "grant": ["skills.run"] }"#), "ask");
    check(&call().with_policy(r#"{ "ungranted": "allow" }"#), "ask");
    check(&call().with_policy(r#"{ "tool_semantics": "advisory" }"#), "ask");
}

#[test]
fn limits_stay_limits() {
    check(&call().with_policy(r#"{ "ungranted": "deny" }"#), "deny");
    check(&call().with_policy(r#"{ "ceiling": { "deny": ["skills.run"] } }"#), "deny");
    let restricted = call().with_policy(r#"{ "tool_semantics": "restrict" }"#);
    check(&restricted, "ask");
    let excluded = Call { consent: Some(0), ..other("skills.run") };
    let script = unlisted().packaged("one");
    let excluded = excluded.with_skills(&[script, trusted("Read")]);
    let excluded = excluded.with_policy(r#"{ "tool_semantics": "restrict" }"#);
    let approvals = vec![approval_of(&call())];
    check(&Call { approvals, ..excluded }, "deny");
}

#[test]
fn approval_is_bound_to_the_package_of_the_skill() {
    let approvals = vec![approval_of(&call())];
    let bound = &approvals[0].request;
    assert_eq!(bound.skill.as_deref(), Some("skill-0"), "not to the skill that was loaded last");
    assert_eq!(bound.package, call().skills[0].package);
    check(&Call { approvals: approvals.clone(), ..call() }, "allow");
    let mut changed = Call { approvals, ..call() };
    changed.skills[0] = unlisted().of(Trust::Untrusted).packaged("two");
    check(&changed, "ask");
}

#[test]
fn package_without_a_digest_has_no_approval() {
    // The model of the gate found the second call: a denied command may be behind it, too.
    let denied = bash("python x.py").with_policy(r#"{ "ceiling": { "deny": ["Bash(rm:*)"] } }"#);
    for call in [call(), Call { consent: Some(0), ..denied.with_skills(&[unlisted()]) }] {
        let mut call = call;
        call.skills[0].package = None;
        let request = approval_of(&call).request;
        let any = ApprovalRequest { arguments: ArgumentPattern::Any, ..request };
        check(&Call { approvals: vec![approval(any)], ..call }, "ask");
    }
}

#[test]
fn skill_operation_needs_the_consent_and_has_no_other_limit() {
    let load = Call { kind: ToolKind::SkillOperation, ..call() };
    check(&load, "ask");
    check(&Call { consent: None, kind: ToolKind::SkillOperation, ..call() }, "allow");
    let approvals = vec![approval_of(&load)];
    let restricted = Call { approvals, ..load }
        .with_skills(&[unlisted().of(Trust::Untrusted).packaged("one"), trusted("Read")]);
    let restricted = restricted.with_policy(r#"{ "tool_semantics": "restrict" }"#);
    check(&restricted, "allow");
}
