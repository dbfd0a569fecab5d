//! Tests of the end of a task.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use prowess_core::{LoadMode, SessionError, StoreError};
use prowess_session::{Discipline, MemoryStore, SessionPolicy};
use prowess_testkit::{HookedStore, StoreCall};

use crate::fixture::{Host, active, load};

fn stack() -> SessionPolicy {
    SessionPolicy { discipline: Discipline::Stack, ..SessionPolicy::default() }
}

#[test]
fn skills_are_unloaded_when_a_task_panics() {
    let session = Host::new(stack()).open();
    let task = || {
        let _task = session.task();
        load(&session, LoadMode::Add, "a b").expect("there is room");
        panic!("a tool panics");
    };
    catch_unwind(AssertUnwindSafe(task)).expect_err("it always panics");
    assert_eq!(active(&session), "");
}

#[test]
fn panic_of_a_tool_keeps_the_skills() {
    let session = Host::new(stack()).open();
    load(&session, LoadMode::Add, "a").expect("there is room");
    catch_unwind(|| panic!("a tool panics")).expect_err("it always panics");
    assert_eq!(active(&session), "a", "the restrictions of `a` are still in force");
}

#[test]
fn ended_task_reports_its_skills() {
    let host = Host::new(stack());
    let session = host.open();
    let task = session.task();
    load(&session, LoadMode::Add, "a b").expect("there is room");
    assert_eq!(task.end(), Ok(2));
    assert_eq!(session.task().end(), Ok(0), "nothing is left");
    let task = session.task();
    assert!(host.sessions.close(session.id()).expect("memory"), "it was open");
    assert_eq!(task.end(), Ok(0), "a closed session has no active skill");
}

#[test]
fn failure_of_the_store_is_reported() {
    let is_down = Arc::new(AtomicBool::new(false));
    let down = Arc::clone(&is_down);
    let store = HookedStore::new(Arc::new(MemoryStore::new()), move |_: StoreCall<'_>, _| {
        let error = StoreError::new("the disk is full");
        if down.load(Ordering::SeqCst) { Err(error) } else { Ok(()) }
    });
    let session = Host::with_store(Arc::new(store), stack()).open();
    let task = session.task();
    load(&session, LoadMode::Add, "a").expect("there is room");
    is_down.store(true, Ordering::SeqCst);
    let error = task.end().expect_err("nothing can be stored");
    assert!(matches!(error, SessionError::Store(_)), "{error}");
}
