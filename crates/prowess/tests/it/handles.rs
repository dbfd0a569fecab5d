//! Runtimes, sessions and turns as values that a host moves about.

use std::sync::Arc;
use std::thread;

use prowess::session::SessionHandle;
use prowess::{Runtime, ToolCall, Turn};
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
