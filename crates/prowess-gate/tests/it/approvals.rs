//! Approvals that the host holds.

use prowess_core::{
    Approval, ApprovalId, ApprovalRequest, ApprovalScope, ArgumentPattern, SessionId, Timestamp,
    Trust,
};
use prowess_gate::{Decision, arguments_digest};
use serde_json::{Value, json};

use crate::support::{Call, bash, check, trusted, unlisted};

/// Returns what a call asks for.
fn request(call: &Call) -> ApprovalRequest {
    match call.decide() {
        Decision::Ask { request, .. } => *request,
        decision => panic!("it was to ask: {decision}"),
    }
}

fn approval(request: ApprovalRequest) -> Approval {
    Approval {
        id: ApprovalId::new("one"),
        request,
        scope: ApprovalScope::Session,
        session: Some(SessionId::new("session").expect("a valid id")),
        granted: Timestamp(0),
        expires: None,
    }
}

fn call() -> Call {
    bash("rm x").with_skills(&[unlisted().packaged("first")])
}

fn approved() -> Call {
    let approval = approval(request(&call()));
    Call { approvals: vec![approval], ..call() }
}

#[test]
fn granted_request_allows_the_same_call() {
    let decision = approved().decide();
    assert!(decision.is_allowed(), "{decision}");
    assert_eq!(decision.grounds().approval, Some(ApprovalId::new("one")));
}

#[test]
fn request_names_the_skill_loaded_last() {
    let request = request(&bash("rm x").with_skills(&[trusted("Read"), unlisted().packaged("p")]));
    assert_eq!(request.skill.as_deref(), Some("skill-1"));
    assert!(request.package.is_some());
    assert_eq!(request.tool, "Bash");
}

#[test]
fn anything_else_asks_again() {
    let tool = Call { tool: "Shell", ..approved() };
    check(&tool, "ask");
    let arguments = Call { arguments: json!({"command": "rm y"}), ..approved() };
    check(&arguments, "ask");
    let session = Call { session: "other", ..approved() };
    check(&session, "ask");
    let tenant = Call { tenant: Some("other"), ..approved() };
    check(&tenant, "ask");
    check(&approved().with_skills(&[]), "ask");
    check(&approved().with_skills(&[unlisted().packaged("first"), unlisted()]), "ask");
    check(&approved().with_skills(&[unlisted().packaged("second")]), "ask");
    check(&approved().with_skills(&[unlisted()]), "ask");
    check(&approved().with_skills(&[unlisted(), unlisted().packaged("first")]), "ask");
}

/// A reload that widens the list of an untrusted package neither grants nor keeps an approval.
#[test]
fn changed_package_asks_again() {
    let widened = trusted("Bash(*)").of(Trust::AskFirst).packaged("second");
    check(&approved().with_skills(&[widened]), "ask");
}

#[test]
fn expired_approval_never_counts() {
    let at = |now| {
        let mut call = Call { now, ..approved() };
        call.approvals[0].expires = Some(Timestamp(1_000));
        call
    };
    check(&at(999), "allow");
    check(&at(1_000), "ask");
    check(&at(1_001), "ask");
}

#[test]
fn scope_decides_about_other_sessions() {
    for (scope, other) in [
        (ApprovalScope::Once, "ask"),
        (ApprovalScope::Session, "ask"),
        (ApprovalScope::Always, "allow"),
    ] {
        let mut call = approved();
        call.approvals[0].scope = scope;
        check(&call, "allow");
        call.session = "other";
        check(&call, other);
        call.approvals[0].session = None;
        check(&call, other);
    }
}

#[test]
fn approval_for_one_use_is_the_last_choice() {
    let mut call = approved();
    call.approvals[0].scope = ApprovalScope::Once;
    let lasting = Approval { id: ApprovalId::new("lasting"), ..approval(request(&self::call())) };
    call.approvals.push(lasting);
    assert_eq!(call.decide().grounds().approval, Some(ApprovalId::new("lasting")));
}

#[test]
fn approval_is_not_used_for_a_granted_call() {
    let call = approved().with_skills(&[trusted("Bash").packaged("first")]);
    assert_eq!(call.decide().grounds().approval, None);
    check(&call, "allow");
}

#[test]
fn approval_lifts_no_limit() {
    let restrict = r#"{"tool_semantics": "restrict"}"#;
    let limited = approved().with_policy(restrict);
    check(&limited.with_skills(&[trusted("Read").packaged("first")]), "deny");
    check(&approved().with_policy(r#"{"ceiling": {"deny": ["Bash"]}}"#), "deny");
}

#[test]
fn any_arguments_are_covered_if_approved() {
    let mut call = approved();
    call.approvals[0].request.arguments = ArgumentPattern::Any;
    call.arguments = json!({"command": "rm y > z"});
    check(&call, "allow");
}

#[test]
fn prefix_covers_only_readable_commands() {
    let check_prefix = |prefix: &[&str], command: &str, expected| {
        let mut call = approved();
        let words = prefix.iter().map(|word| (*word).to_owned()).collect();
        call.approvals[0].request.arguments = ArgumentPattern::CommandPrefix(words);
        call.arguments = json!({ "command": command });
        check(&call, expected);
    };
    check_prefix(&["rm", "-r"], "rm -r x && rm -r y", "allow");
    check_prefix(&["rm", "-r"], "rm -f x", "ask");
    check_prefix(&["rm", "-r"], "rm -r x; ls", "ask");
    check_prefix(&["rm"], "rm $x", "ask");
    check_prefix(&[], "rm x", "ask");
}

#[test]
fn digest_ignores_the_order_of_keys() {
    let parse = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let digest = |text: &str| arguments_digest(&parse(text));
    assert_eq!(
        digest(r#"{"b": [1, {"d": "é<", "c": null}], "a": true}"#),
        digest(r#"{"a":true,"b":[1,{"c":null,"d":"\u00e9<"}]}"#)
    );
    for other in ["{}", "[]", "null", r#"{"a":1}"#, r#"{"a":"1"}"#, r#"{"a":[1]}"#, r#"["a",1]"#] {
        assert_ne!(digest(other), digest(r#"{"a":{"1":1}}"#), "{other}");
    }
    let canonical = prowess_core::Digest::of(r#"{"a":[1,"<"],"b":{}}"#.as_bytes());
    assert_eq!(digest(r#"{ "b": {}, "a": [1, "<"] }"#), canonical);
}
