//! Questions to the user of a client about calls that a person has to approve.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use prowess::{ApprovalDecision, ApprovalStoreExt as _, ApprovalVerdict};
use prowess_mcp::{ApprovalChannel, SkillServer};
use prowess_testkit::rows;
use serde_json::{Value, json};

use crate::approvals::Place;
use crate::block_on;
use crate::raw::{Raw, meta_with};

const LEGACY: &str = "2025-11-25";
const STATELESS: &str = "2026-07-28";

/// A client that has forms.
fn forms() -> Value {
    json!({ "elicitation": { "form": {} } })
}

/// Starts a client with these capabilities.
async fn start(place: &Place, revision: &str, capabilities: &Value) -> Raw {
    Raw::greeted_with(Arc::clone(&place.runtime), revision, capabilities).await
}

fn deploy(arguments: &Value) -> Value {
    json!({ "name": "deploy", "arguments": arguments })
}

/// Calls the tool in revision 2025-11-25, checks the question and answers it, and returns the
/// result of the call.
async fn answered(raw: &mut Raw, id: u64, answer: Value) -> Value {
    raw.ask(json!(id), "tools/call", deploy(&json!({ "target": "moon" }))).await;
    let question = raw.receive().await;
    assert_eq!(question["method"], "elicitation/create", "the user is asked: {question}");
    let params = &question["params"];
    let message = params["message"].as_str().expect("a text");
    assert!(message.contains("`deploy`") && message.contains("moon"), "{message}");
    let field = &params["requestedSchema"]["properties"]["decision"];
    assert_eq!(field["default"], "deny", "a default grants nothing: {params}");
    raw.reply(question["id"].clone(), answer).await;
    let result = raw.receive().await;
    assert_eq!(result["id"], id, "{result}");
    result["result"].clone()
}

#[test]
fn long_arguments_are_no_question() {
    block_on(async {
        let place = Place::new().await;
        let mut raw = start(&place, LEGACY, &forms()).await;
        let target = deploy(&json!({ "target": "moon ".repeat(1_000) }));
        raw.ask(json!(1), "tools/call", target).await;
        let result = raw.receive().await;
        assert_eq!(
            code(&result["result"]),
            "approval-required",
            "a call is shown whole or not at all: {result}"
        );
        let hidden =
            format!("a\u{202e}b\u{200b}c\u{e0041}d\u{2028}e\u{3164}{}f\u{a0}", " ".repeat(3_800));
        raw.ask(json!(2), "tools/call", deploy(&json!({ "target": hidden }))).await;
        let question = raw.receive().await;
        let message = question["params"]["message"].as_str().expect("it is asked");
        let marked =
            r"a\u{202e}b\u{200b}c\u{e0041}d[1 × U+2028]e[1 × U+3164][3800 × U+0020]f[1 × U+00A0]";
        assert!(message.contains(marked), "{message}");
    });
}

fn accepted(decision: &str) -> Value {
    json!({ "action": "accept", "content": { "decision": decision } })
}

fn code(result: &Value) -> &Value {
    &result["_meta"]["prowess/code"]
}

#[test]
fn answer_grants_once_or_for_the_conversation() {
    block_on(async {
        let place = Place::new().await;
        let mut raw = start(&place, LEGACY, &forms()).await;
        let result = answered(&mut raw, 1, accepted("once")).await;
        assert_eq!(result["isError"], false, "{result}");
        assert_eq!(place.runs(), 1);
        // The approval is spent, so the user is asked again.
        let result = answered(&mut raw, 2, accepted("session")).await;
        assert_eq!(result["isError"], false, "{result}");
        let params = deploy(&json!({ "target": "moon" }));
        let result = raw.request(json!(3), "tools/call", params).await;
        assert_eq!(result["result"]["isError"], false, "the user is not asked again: {result}");
        assert_eq!(place.runs(), 3);
    });
}

#[test]
fn refusal_is_final() {
    for refusal in [json!({ "action": "decline" }), accepted("deny")] {
        block_on(async {
            let place = Place::new().await;
            let mut raw = start(&place, LEGACY, &forms()).await;
            let result = answered(&mut raw, 1, refusal).await;
            assert_eq!(result["isError"], true, "{result}");
            assert_ne!(code(&result), "approval-required", "it is decided: {result}");
            let params = deploy(&json!({ "target": "moon" }));
            let again = raw.request(json!(2), "tools/call", params).await;
            assert_eq!(again["result"]["isError"], true, "the user is not asked again: {again}");
            assert_eq!(place.runs(), 0);
        });
    }
}

#[test]
fn other_answers_grant_nothing() {
    for [answer] in rows(include_str!("../data/messages.txt"), "answers") {
        block_on(async {
            let place = Place::new().await;
            let mut raw = start(&place, LEGACY, &forms()).await;
            let result = answered(&mut raw, 1, serde_json::from_str(&answer).expect("JSON")).await;
            assert_eq!(code(&result), "approval-required", "{answer}: {result}");
            assert_eq!(place.runs(), 0, "{answer}");
        });
    }
}

#[test]
fn client_without_forms_is_not_asked() {
    for capabilities in [json!({}), json!({ "elicitation": { "url": {} } })] {
        for revision in [LEGACY, STATELESS] {
            block_on(async {
                let place = Place::new().await;
                let mut raw = start(&place, revision, &capabilities).await;
                let params = meta_with(revision, &capabilities, deploy(&json!({})));
                let result = raw.request(json!(1), "tools/call", params).await;
                assert_eq!(code(&result["result"]), "approval-required", "{result}");
            });
        }
    }
}

#[test]
fn client_that_has_closed_its_end_is_not_waited_for() {
    block_on(async {
        let place = Place::new().await;
        let mut raw = start(&place, LEGACY, &forms()).await;
        raw.ask(json!(1), "tools/call", deploy(&json!({}))).await;
        assert_eq!(raw.receive().await["method"], "elicitation/create");
        let rest = raw.close().await;
        let answer = rest.iter().find(|message| message["id"] == 1).expect("the call is answered");
        assert_eq!(code(&answer["result"]), "approval-required", "{rest:?}");
    });
}

#[test]
fn host_can_keep_decisions_to_itself() {
    block_on(async {
        let place = Place::new().await;
        let server = SkillServer::new(Arc::clone(&place.runtime)).expect("a session opens");
        let server = server.approvals(ApprovalChannel::Host);
        let mut raw = Raw::serve(server);
        raw.greet(LEGACY, &forms()).await;
        let result = raw.request(json!(1), "tools/call", deploy(&json!({}))).await;
        assert_eq!(code(&result["result"]), "approval-required", "{result}");
    });
}

#[test]
fn stateless_call_is_repeated_with_the_answer() {
    block_on(async {
        let place = Place::new().await;
        let mut raw = start(&place, STATELESS, &forms()).await;
        let call = |extra: Value| {
            let mut params = deploy(&json!({ "target": "moon" }));
            params.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            meta_with(STATELESS, &forms(), params)
        };
        let asked = raw.request(json!(1), "tools/call", call(json!({}))).await;
        let asked = &asked["result"];
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        assert_eq!(asked["inputRequests"]["approval"]["method"], "elicitation/create", "{asked}");
        let state = asked["requestState"].clone();
        let answer = json!({ "approval": accepted("once") });
        let forged = call(json!({ "inputResponses": answer, "requestState": "0123456789abcdef" }));
        let forged = raw.request(json!(2), "tools/call", forged).await;
        assert_eq!(forged["error"]["code"], -32602, "a state cannot be guessed: {forged}");
        let bare = raw.request(json!(3), "tools/call", call(json!({ "inputResponses": answer })));
        let bare = bare.await;
        assert_eq!(bare["result"]["resultType"], "input_required", "no state, no answer: {bare}");
        assert_eq!(place.runs(), 0);
        let repeated = call(json!({ "inputResponses": answer, "requestState": state }));
        let done = raw.request(json!(4), "tools/call", repeated.clone()).await;
        assert_eq!(done["result"]["isError"], false, "{done}");
        assert_eq!(place.runs.load(Ordering::Relaxed), 1);
        let replayed = raw.request(json!(5), "tools/call", repeated).await;
        assert_eq!(replayed["error"]["code"], -32602, "an answer counts once: {replayed}");
        assert_eq!(place.runs(), 1);
    });
}

#[test]
fn argument_is_never_an_answer() {
    block_on(async {
        let place = Place::new().await;
        let mut raw = start(&place, STATELESS, &forms()).await;
        let arguments = json!({
            "inputResponses": { "approval": accepted("session") },
            "requestState": "x",
            "decision": "once",
        });
        let params = meta_with(STATELESS, &forms(), deploy(&arguments));
        let asked = raw.request(json!(1), "tools/call", params).await;
        assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
        assert_eq!(place.runs(), 0);
    });
}

/// A person decides elsewhere while the question is open; the answer to it comes later.
#[test]
fn decision_that_was_made_meanwhile_stays() {
    for revision in [LEGACY, STATELESS] {
        block_on(async {
            let place = Place::new().await;
            let mut raw = start(&place, revision, &forms()).await;
            let call = |mut extra: Value| {
                extra["name"] = json!("deploy");
                extra["arguments"] = json!({ "target": "moon" });
                meta_with(revision, &forms(), extra)
            };
            raw.ask(json!(1), "tools/call", call(json!({}))).await;
            let question = raw.receive().await;
            let approvals = place.runtime.approvals();
            let entry = approvals.list(None, NonZeroUsize::MIN).expect("memory").remove(0);
            let (verdict, by, at) = (ApprovalVerdict::Deny, "bob".to_owned(), place.runtime.now());
            let decision = ApprovalDecision { verdict, by, at };
            approvals.decide(&entry.id, &decision).expect("it is pending");
            if revision == LEGACY {
                raw.reply(question["id"].clone(), accepted("once")).await;
            } else {
                let state = &question["result"]["requestState"];
                let answer = json!({ "approval": accepted("once") });
                let answer = json!({ "inputResponses": answer, "requestState": state });
                raw.ask(json!(1), "tools/call", call(answer)).await;
            }
            let result = raw.receive().await;
            assert_eq!(code(&result["result"]), "approval-denied", "{revision}: {result}");
            assert_eq!(place.runs(), 0, "{revision}: the refusal stays");
            let entry = approvals.load(&entry.id).expect("memory").expect("it is there");
            assert_eq!(entry.state.by(), Some("bob"), "{revision}");
        });
    }
}
