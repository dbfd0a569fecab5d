//! Tests of the activation ledger: no body is delivered twice, and none is lost.

use std::sync::Arc;

use prowess_core::{
    BodyDelivery, BodyPlace, Discipline, LoadMode, LoadOutcome, LoadRequest, ReinjectionBudget,
    Unload,
};
use prowess_session::ledger::{KeptDeliveries, injection};
use prowess_session::{MemoryStore, OnReload, SessionHandle, SessionPolicy};

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
fn injected_bodies_are_in_the_context() {
    let session = Host::new(SessionPolicy::default()).open();
    add(&session, "a b");
    let state = session.compacted(&KeptDeliveries::None).expect("the session is open");
    let chosen = injection(&state, ReinjectionBudget::default(), |_, body| body.len());
    let ids: Vec<_> = chosen.skills.iter().take(1).map(|one| one.skill.id.clone()).collect();
    session.injected(&ids, BodyDelivery::ToolResult).expect("the session is open");
    check_places(&session, &[("a", Gone), ("b", ToolResult(2))]);
    assert_eq!(add(&session, "a b").deliver, ["a"], "`b` was injected");
}

/// A host that refuses to load a skill again gives one that the model does not have any more.
#[test]
fn body_that_is_gone_is_given_again() {
    let stack = SessionPolicy { discipline: Discipline::Stack, ..SessionPolicy::default() };
    let error = SessionPolicy { on_reload: OnReload::Error, ..SessionPolicy::default() };
    for policy in [stack, error] {
        let session = Host::new(policy).open();
        add(&session, "a b");
        let kept = KeptDeliveries::OfSkills(vec!["b".to_owned()]);
        session.compacted(&kept).expect("the session is open");
        let newer = [edition("a", 2)];
        let mixed = [skills("b"), newer.to_vec()].concat();
        session.activate(&request(&mixed)).expect_err("the context has `b`");
        let again = session.activate(&request(&newer)).expect("it is gone");
        assert_eq!(again.deliver, ["a"]);
        check_places(&session, &[("a", ToolResult(2)), ("b", ToolResult(1))]);
        session.activate(&request(&newer)).expect_err("the context has `a`");
    }
}

#[test]
fn injection_moves_bodies_to_the_instructions() {
    let session = Host::new(SessionPolicy::default()).open();
    add(&session, "a b c");
    let kept = KeptDeliveries::OfSkills(vec!["c".to_owned()]);
    session.compacted(&kept).expect("the session is open");
    check_places(&session, &[("a", Gone), ("b", Gone), ("c", ToolResult(1))]);
    session.injected(&["b".to_owned()], BodyDelivery::BothOnce).expect("the session is open");
    check_places(&session, &[("a", Gone), ("b", BodyPlace::Instructions), ("c", ToolResult(1))]);
    let state = session.state().expect("the session is open");
    let ids = |delivery| {
        state.in_instructions(delivery).map(|skill| skill.id.clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids(BodyDelivery::BothOnce), ["b"]);
    assert_eq!(ids(BodyDelivery::ToolResult), ["b"]);
    assert_eq!(ids(BodyDelivery::Instructions), ["a", "b"], "they can be there at any time");
}

#[test]
fn bound_skills_stay() {
    let policy = SessionPolicy { max_active: 3, ..SessionPolicy::default() };
    let session = Host::new(policy).open();
    add(&session, "x a");
    session.bind(&skills("a b"), 7).expect("there is room");
    let bound = [("a", BodyPlace::Instructions), ("b", BodyPlace::Instructions)];
    check_places(&session, &[bound[0], bound[1], ("x", ToolResult(1))]);
    let again = add(&session, "a");
    assert!(again.deliver.is_empty(), "the instructions have the body");
    assert_eq!(again.already_loaded.len(), 1);
    let replaced = session.load(&skills("y"), LoadMode::Replace).expect("there is room");
    assert_eq!(replaced.active_skills.len(), 3, "a load replaces the others");
    assert!(session.load(&skills("y z"), LoadMode::Replace).is_err(), "they count for the limit");
    session.unload(&Unload::All).expect("the session is open");
    check_places(&session, &bound);
    session.unload(&Unload::These(vec!["a".to_owned()])).expect("the session is open");
    check_places(&session, &bound);
    assert_eq!(session.end_task(), Ok(0));
    session.compacted(&KeptDeliveries::None).expect("the session is open");
    check_places(&session, &bound);
    session.revoke(|skill| skill.id == "a").expect("the session is open");
    check_places(&session, &bound[1..]);
    assert!(session.bind(&skills("p q r"), 7).is_err(), "there is no room");
    check_places(&session, &bound[1..]);
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
