//! Runtimes, sessions and turns as values that a host moves about.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use prowess::session::{MemoryStore, SessionHandle, SessionPolicy};
use prowess::{Policies, Runtime, SessionId, ToolCall, Turn};
use prowess_testkit::{HookedStore, StoreCall, StoreMoment};
use serde_json::json;

fn runtime() -> Runtime {
    Runtime::builder().default_skills().build().expect("the default skills are good")
}

#[test]
fn handles_are_send_sync_and_static() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Runtime>();
    check::<SessionHandle>();
    check::<Turn>();
}

#[test]
fn turn_outlives_its_runtime_on_another_thread() {
    let runtime = runtime();
    let session = runtime.open_session().expect("the store is in memory");
    let turn = runtime.turn(&session).expect("the session is open");
    drop((runtime, session));
    let load = ToolCall::new("skills_load", json!({"names": ["skill-writing"]}));
    let result = thread::spawn(move || turn.call(&load).result).join().expect("no tool panics");
    assert!(!result.is_error, "{result:?}");
}

#[test]
fn clones_share_sessions() {
    let runtime = runtime();
    let session = runtime.open_session().expect("the store is in memory");
    let load = ToolCall::new("skills_load", json!({"names": ["skill-writing"]}));
    runtime.turn(&session).expect("the session is open").call(&load);
    let other = runtime.clone();
    let resumed = other.resume_session(session.id()).expect("a clone has the same sessions");
    assert_eq!(resumed.state().expect("it is open").active.len(), 1, "and what they have loaded");
    assert!(Arc::ptr_eq(&runtime.catalog(), &other.catalog()), "and the same catalog");
}

#[test]
fn host_chooses_the_id_of_a_session() {
    let runtime = runtime();
    let id = SessionId::new("chat-42").expect("it is a good id");
    let session = runtime.open_session_with(id.clone()).expect("the id is free");
    assert_eq!(session.id(), &id);
    let error = runtime.open_session_with(id.clone()).expect_err("an id is opened once");
    assert!(error.to_string().contains("is open already"), "{error}");
    runtime.close_session(&id).expect("the store is in memory");
    runtime.open_session_with(id).expect("a closed session frees its id");
}

#[test]
fn resuming_an_unknown_id_is_an_error() {
    let id = SessionId::new("unknown").expect("it is a good id");
    let error = runtime().resume_session(&id).map(drop);
    let error = error.expect_err("it was never opened");
    assert!(error.to_string().starts_with("there is no session"), "{error}");
}

#[test]
fn policies_are_returned_as_given() {
    let session = SessionPolicy { max_active: 3, ..SessionPolicy::default() };
    let given = Policies { session, ..Policies::default() };
    let runtime = Runtime::builder().policies(given.clone()).build().expect("it is complete");
    assert_eq!(runtime.policies(), &given, "building changes no policy");
}

#[test]
fn turn_and_read_write_no_bodies() {
    let puts = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&puts);
    let store = HookedStore::new(Arc::new(MemoryStore::new()), move |call, moment| {
        let is_put = matches!(call, StoreCall::Put { .. }) && moment == StoreMoment::Before;
        count.fetch_add(usize::from(is_put), Ordering::Relaxed);
        Ok(())
    });
    let runtime = Runtime::builder().default_skills().session_store(Arc::new(store)).build();
    let runtime = runtime.expect("the default skills are good");
    let session = runtime.open_session().expect("the store is in memory");
    let turn = || runtime.turn(&session).expect("the session is open");
    turn().call(&ToolCall::new("skills_load", json!({"names": ["skill-writing"]})));
    let before = puts.load(Ordering::Relaxed);
    for _ in 0..3 {
        let read = ToolCall::new("skills_read", json!({"path": "references/checklist.md"}));
        assert!(!turn().call(&read).result.is_error);
    }
    assert_eq!(puts.load(Ordering::Relaxed), before, "a use is recorded by `touch`");
}
