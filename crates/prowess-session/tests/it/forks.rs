//! Tests of limits on what a session may load, and of child sessions.

use std::collections::BTreeSet;
use std::sync::Arc;

use prowess_core::{ActiveSkill, BodyPlace, LoadMode, RunPreference, SessionError, SessionId};
use prowess_session::{
    ExportedSkill, ForkRequest, ImportRequest, OpenError, SessionHandle, SessionPolicy,
};

use crate::fixture::{Host, active, load, skill};

fn set(ids: &str) -> BTreeSet<String> {
    ids.split_whitespace().map(str::to_owned).collect()
}

fn check_refuses(session: &SessionHandle, id: &str) {
    let before = active(session);
    let error = load(session, LoadMode::Add, id).expect_err("the session may not load it");
    assert_eq!(error, SessionError::NotAllowed(id.to_owned()));
    assert_eq!(active(session), before, "a refused load changes nothing");
}

#[test]
fn session_loads_allowed_skills_only() {
    let host = Host::new(SessionPolicy::default());
    let session = host.sessions.open_allowing(set("a b")).expect("memory takes a session");
    load(&session, LoadMode::Add, "a").expect("it is allowed");
    check_refuses(&session, "c");
    let both = load(&session, LoadMode::Add, "b c");
    assert_eq!(both, Err(SessionError::NotAllowed("c".to_owned())), "all or none");
    assert_eq!(active(&session), "a");
    let resumed = host.sessions.resume(session.id()).expect("the session is open");
    check_refuses(&resumed, "c");
}

#[test]
fn restriction_only_narrows() {
    let host = Host::new(SessionPolicy::default());
    let session = host.open();
    load(&session, LoadMode::Add, "a b c").expect("anything is allowed");
    session.restrict(&set("a b")).expect("the session is open");
    assert_eq!(active(&session), "a b", "what is not allowed is unloaded");
    session.restrict(&set("b c")).expect("the session is open");
    assert_eq!(active(&session), "b");
    let stored = host.sessions.resume(session.id()).expect("the session is open");
    for id in ["a", "c"] {
        check_refuses(&session, id);
        check_refuses(&stored, id);
    }
}

#[test]
fn child_never_loads_more_than_its_parent() {
    let cases = [
        (None, None, "a b c", ""),
        (None, Some("a"), "a", "b c"),
        (Some("a b"), None, "a b", "c"),
        (Some("a b"), Some("b c"), "b", "a c"),
        (Some("a"), Some(""), "", "a b c"),
    ];
    for (parent, child, loads, refuses) in cases {
        let session = Host::new(SessionPolicy::default()).open();
        if let Some(parent) = parent {
            session.restrict(&set(parent)).expect("the session is open");
        }
        let request = ForkRequest { allowed: child.map(set), ..ForkRequest::default() };
        let fork = session.fork(&request).expect("the parent is open");
        load(&fork, LoadMode::Add, loads).expect("the child may load these");
        for id in refuses.split_whitespace() {
            check_refuses(&fork, id);
        }
        // A wider request of a grandchild changes nothing.
        let wider = ForkRequest { allowed: Some(set("a b c")), ..ForkRequest::default() };
        let grandchild = fork.fork(&wider).expect("the child is open");
        for id in refuses.split_whitespace() {
            check_refuses(&grandchild, id);
        }
    }
}

#[test]
fn parent_and_child_are_separate() {
    let host = Host::new(SessionPolicy::default());
    let parent = host.open();
    load(&parent, LoadMode::Add, "a b").expect("there is room");
    let before = parent.state();
    let request = ForkRequest { inherit: vec!["b".into(), "x".into()], ..ForkRequest::default() };
    let child = parent.fork(&request).expect("the parent is open");
    assert_eq!(active(&child), "b", "the child has what it inherits, if the parent has it");
    let stored = host.sessions.resume(child.id()).expect("the child is open");
    let state = stored.state().expect("the child is open");
    assert_eq!(state.scope.parent.as_ref(), Some(parent.id()));
    let limiting: Vec<_> = state.limiting().map(|skill| &*skill.id).collect();
    assert_eq!(limiting, ["a", "b"], "each limits it, once");
    let export = child.export().expect("the child is open");
    let import = |has_a: bool| {
        let resolve = |it: &ExportedSkill| (has_a || it.id != "a").then(|| skill(&it.id));
        host.sessions.import(&export, ImportRequest::default(), resolve)
    };
    let moved = import(true).expect("it is an export").session.state().expect("it is open");
    assert_eq!(moved.limiting().count(), 2, "they move with it");
    assert!(import(false).is_err(), "no import is without a limit");
    load(&child, LoadMode::Add, "c").expect("there is room");
    assert_eq!(parent.state(), before, "a fork and its loads leave the parent as it was");
    assert!(host.sessions.close(parent.id()).expect("memory"), "the parent was open");
    assert_eq!(active(&child), "b c", "the child has its own state");
    let error = parent.fork(&request).expect_err("the parent is closed");
    assert_eq!(error, OpenError::Session(SessionError::NotFound(parent.id().clone())));
}

#[test]
fn child_has_no_messages_of_its_parent() {
    let parent = Host::new(SessionPolicy::default()).open();
    let skills = [skill("a")];
    let request = prowess_core::LoadRequest {
        skills: &skills,
        mode: LoadMode::Add,
        delivery: prowess_core::BodyDelivery::ToolResult,
        generation: 1,
        force: false,
    };
    parent.activate(&request).expect("there is room");
    let inherit = ForkRequest { inherit: vec!["a".to_owned()], ..ForkRequest::default() };
    let child = parent.fork(&inherit).expect("the parent is open");
    let state = child.state().expect("the child is open");
    assert_eq!(state.ledger[0].body, BodyPlace::Gone, "its context has no result of the parent");
    assert_eq!(child.activate(&request).expect("there is room").deliver, ["a"]);
}

#[test]
fn child_has_the_id_of_the_host() {
    let host = Host::new(SessionPolicy::default());
    let parent = host.open();
    let id = SessionId::new("agent-7").expect("it is a good id");
    let request = ForkRequest { id: Some(id.clone()), ..ForkRequest::default() };
    assert_eq!(*parent.fork(&request).expect("the id is free").id(), id);
    let error = parent.fork(&request).expect_err("the id is taken");
    assert_eq!(error, OpenError::Exists(id));
}

#[test]
fn frontmatter_prefers_a_fork() {
    let properties = serde_json::json!({
        "name": "a", "context": "fork", "agent": "Explore", "model": "small",
    });
    let forked = Arc::new(ActiveSkill { properties, ..(*skill("a")).clone() });
    let parent = Host::new(SessionPolicy::default()).open();
    let receipt = parent.load(&[forked.clone(), skill("b")], LoadMode::Add).expect("it has room");
    let expected = RunPreference {
        fork: true,
        agent: Some("Explore".to_owned()),
        model: Some("small".to_owned()),
    };
    assert_eq!(receipt.active_skills[0].preference, expected, "the receipt has the preference");
    assert!(receipt.active_skills[1].preference.is_empty());
    let child = parent.fork(&ForkRequest::for_skill(&forked)).expect("the parent is open");
    let state = child.state().expect("the child is open");
    assert_eq!(state.scope.preference, expected, "the host finds the preference in the child");
    assert_eq!(active(&child), "a");
    check_refuses(&child, "b");
    assert_eq!(active(&parent), "a b", "the parent is unchanged");
}
