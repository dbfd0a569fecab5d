//! Tests of the activation ledger: no body is delivered twice, and none is lost.

use std::sync::Arc;

use prowess_core::{
    BodyDelivery, BodyPlace, EstimatedTokens, LoadMode, LoadOutcome, LoadRequest, TokenCounter,
    Unload,
};
use prowess_session::ledger::{KeptDeliveries, injection};
use prowess_session::{MemoryStore, SessionHandle, SessionPolicy};

use crate::fixture::{Host, edition, skills};

use BodyPlace::{Gone, ToolResult};

/// A request that adds skills whose bodies go into the result.
fn request(skills: &[Arc<prowess_core::ActiveSkill>]) -> LoadRequest<'_> {
    LoadRequest {
        skills,
        mode: LoadMode::Add,
        delivery: BodyDelivery::ToolResult,
        generation: 3,
        force: false,
    }
}

fn add(session: &SessionHandle, ids: &str) -> LoadOutcome {
    session.activate(&request(&skills(ids))).expect("there is room")
}

fn places(session: &SessionHandle) -> Vec<(String, BodyPlace)> {
    let state = session.state().expect("the session is open");
    let ids: Vec<_> = state.active.iter().map(|skill| &skill.id).collect();
    let listed: Vec<_> = state.ledger.iter().map(|entry| &entry.id).collect();
    assert_eq!(listed, ids, "the ledger has the active skills in their order");
    state.ledger.iter().map(|entry| (entry.id.clone(), entry.body)).collect()
}

fn check_places(session: &SessionHandle, expected: &[(&str, BodyPlace)]) {
    let expected: Vec<_> = expected.iter().map(|(id, body)| ((*id).to_owned(), *body)).collect();
    assert_eq!(places(session), expected);
}

#[test]
fn body_is_delivered_once() {
    let session = Host::new(SessionPolicy::default()).open();
    assert_eq!(add(&session, "a b").deliver, ["a", "b"]);
    let again = add(&session, "a c");
    assert_eq!(again.deliver, ["c"], "the context has the body of `a`");
    let known = &again.already_loaded[0];
    assert_eq!((known.id.as_str(), known.generation, known.body), ("a", 3, ToolResult(1)));
    assert_eq!(known.digest, edition("a", 1).digest, "the receipt names the delivered content");
    assert_eq!(again.receipt.active_skills.len(), 3, "the receipt has every active skill");
    check_places(&session, &[("b", ToolResult(1)), ("a", ToolResult(1)), ("c", ToolResult(2))]);
}

#[test]
fn forced_load_delivers_again() {
    let session = Host::new(SessionPolicy::default()).open();
    add(&session, "a b");
    let skills = skills("a");
    let forced = LoadRequest { force: true, ..request(&skills) };
    let outcome = session.activate(&forced).expect("there is room");
    assert_eq!(outcome.deliver, ["a"]);
    assert!(outcome.already_loaded.is_empty());
    check_places(&session, &[("b", ToolResult(1)), ("a", ToolResult(2))]);
}

#[test]
fn changed_body_is_delivered() {
    let session = Host::new(SessionPolicy::default()).open();
    add(&session, "a");
    let newer = [edition("a", 2)];
    let outcome = session.activate(&request(&newer)).expect("there is room");
    assert_eq!(outcome.deliver, ["a"], "the context has an older body");
    assert!(outcome.already_loaded.is_empty());
}

#[test]
fn unloaded_body_is_delivered_again() {
    let session = Host::new(SessionPolicy::default()).open();
    add(&session, "a");
    session.unload(&Unload::All).expect("the session is open");
    assert_eq!(add(&session, "a").deliver, ["a"], "the model was told to forget it");
}

#[test]
fn instructions_need_no_delivery() {
    let session = Host::new(SessionPolicy::default()).open();
    let skills = skills("a");
    let load = LoadRequest { delivery: BodyDelivery::Instructions, ..request(&skills) };
    let first = session.activate(&load).expect("there is room");
    assert!(first.deliver.is_empty() && first.already_loaded.is_empty());
    let again = session.activate(&load).expect("there is room");
    assert_eq!(again.already_loaded.len(), 1, "the model learns that it has the body");
    session.compacted(&KeptDeliveries::None).expect("the session is open");
    check_places(&session, &[("a", BodyPlace::Instructions)]);
}

#[test]
fn compaction_removes_deliveries() {
    let session = Host::new(SessionPolicy::default()).open();
    add(&session, "a b");
    add(&session, "c");
    session.compacted(&KeptDeliveries::These(vec![2])).expect("the session is open");
    check_places(&session, &[("a", Gone), ("b", Gone), ("c", ToolResult(2))]);
    assert_eq!(add(&session, "a c").deliver, ["a"], "only `a` left the context");
    session.compacted(&KeptDeliveries::None).expect("the session is open");
    check_places(&session, &[("b", Gone), ("a", Gone), ("c", Gone)]);
}

/// Counts characters.
struct Characters;

impl TokenCounter for Characters {
    fn count(&self, text: &str) -> usize {
        text.chars().count()
    }

    fn is_exact(&self) -> bool {
        true
    }
}

#[test]
fn injection_takes_the_most_recent_that_fit() {
    let session = Host::new(SessionPolicy::default()).open();
    let large = Arc::new(prowess_core::ActiveSkill {
        body: "x".repeat(1_000).into(),
        ..(*edition("large", 1)).clone()
    });
    add(&session, "a b");
    session.activate(&request(&[large])).expect("there is room");
    add(&session, "c");
    let state = session.compacted(&KeptDeliveries::None).expect("the session is open");
    let length = "Body of a, edition 1".len();
    let cases = [
        (0, "", "c large b a"),
        (length - 1, "", "c large b a"),
        (length, "c", "large b a"),
        (2 * length, "c b", "large a"),
        (3 * length, "c b a", "large"),
        (1_000 + 3 * length, "c large b a", ""),
    ];
    for (budget, expected, left_out) in cases {
        let injection = injection(&state, budget, &Characters);
        let ids: Vec<_> = injection.skills.iter().map(|skill| skill.id.as_str()).collect();
        assert_eq!(ids.join(" "), expected, "within {budget} tokens");
        assert_eq!(injection.left_out.join(" "), left_out, "over {budget} tokens");
        assert!(injection.tokens <= budget, "the budget holds");
    }
}

#[test]
fn injected_bodies_are_in_the_context() {
    let session = Host::new(SessionPolicy::default()).open();
    add(&session, "a b");
    let state = session.compacted(&KeptDeliveries::None).expect("the session is open");
    let chosen = injection(&state, usize::MAX, &EstimatedTokens);
    let ids: Vec<_> = chosen.skills.iter().take(1).map(|skill| skill.id.clone()).collect();
    session.injected(&ids).expect("the session is open");
    check_places(&session, &[("a", Gone), ("b", ToolResult(2))]);
    assert_eq!(add(&session, "a b").deliver, ["a"], "`b` was injected");
}

#[test]
fn ledger_survives_another_process() {
    let store = Arc::new(MemoryStore::new());
    let host = Host::with_store(store.clone(), SessionPolicy::default());
    let session = host.open();
    add(&session, "a");
    add(&session, "b");
    session.compacted(&KeptDeliveries::These(vec![2])).expect("the session is open");
    let other = Host::with_store(store, SessionPolicy::default());
    let resumed = other.sessions.resume(session.id()).expect("the session is open");
    assert_eq!(resumed.state(), session.state(), "a decoded state is the one that was stored");
    check_places(&resumed, &[("a", Gone), ("b", ToolResult(2))]);
}
