//! Tests of opening, resuming, closing and expiring sessions.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use prowess_core::{LoadMode, Session, SessionError, SessionId, StoreError, Unload};
use prowess_session::{MemoryStore, OnReload, OpenError, SessionPolicy, Sessions};
use prowess_testkit::{HookedStore, ManualClock, StoreCall, StoreMoment};

use crate::fixture::{Host, active, load, skills};

fn expiring(seconds: u64) -> SessionPolicy {
    SessionPolicy { idle_limit_seconds: Some(seconds), ..SessionPolicy::default() }
}

/// Checks that every operation on an ended session returns the same error.
fn check_is_over(session: &dyn Session, why: &str) {
    let gone = SessionError::NotFound(session.id().clone());
    assert_eq!(session.state(), Err(gone.clone()), "`state` of a session that is {why}");
    let loaded = session.load(&skills("a"), LoadMode::Add);
    assert_eq!(loaded, Err(gone.clone()), "`load` into a session that is {why}");
    let unloaded = session.unload(&Unload::All);
    assert_eq!(unloaded, Err(gone), "`unload` of a session that is {why}");
}

#[test]
fn resumed_session_has_its_state() {
    let host = Host::new(SessionPolicy::default());
    let session = host.open();
    load(&session, LoadMode::Add, "a b").expect("two skills are within the cap");
    let again = host.sessions.resume(session.id()).expect("the session is open");
    assert_eq!(again.id(), session.id(), "the id is stable");
    assert_eq!(active(&again), "a b");
    again.unload(&Unload::All).expect("the session is open");
    assert_eq!(active(&session), "", "both handles are of one session");
}

#[test]
fn a_closed_session_stays_closed() {
    let host = Host::new(SessionPolicy::default());
    let session = host.open();
    load(&session, LoadMode::Add, "a").expect("one skill is within the cap");
    assert_eq!(host.sessions.close(session.id()), Ok(true));
    check_is_over(&session, "closed");
    assert_eq!(host.sessions.close(session.id()), Ok(false), "it is closed already");
    assert!(host.sessions.resume(session.id()).is_err(), "a closed session is not resumed");
}

#[test]
fn an_idle_session_expires_and_use_keeps_it() {
    let host = Host::new(expiring(60));
    let session = host.open();
    for _ in 0..3 {
        host.clock.advance(Duration::from_secs(59));
        session.touch().expect("use one second before the limit keeps the session");
    }
    host.clock.advance(Duration::from_secs(59));
    host.sessions.resume(session.id()).expect("resuming keeps the session");
    host.clock.advance(Duration::from_secs(59));
    load(&session, LoadMode::Add, "a").expect("loading keeps the session");
    host.clock.advance(Duration::from_secs(59));
    session.unload(&Unload::These(Vec::new())).expect("unloading keeps the session");
    host.clock.advance(Duration::from_secs(59));
    assert_eq!(active(&session), "a");
    host.clock.advance(Duration::from_secs(1));
    check_is_over(&session, "expired: reading its state is no use of it");
    assert_eq!(host.sessions.expire(), Ok(0), "a call on the expired session has deleted it");
    let stored = host.store.load(session.id()).expect("memory can be read");
    assert_eq!(stored, None, "an expired session leaves the store");
}

/// A request waits for its own session, however many others have expired.
#[test]
fn request_expires_its_own_session_alone() {
    let hook = |call: StoreCall<'_>, _: StoreMoment| match call {
        StoreCall::ExpireBefore(_) | StoreCall::ExpireOne(_) => {
            Err(StoreError::new(format!("{call:?}")))
        }
        _ => Ok(()),
    };
    let host = Host::with_store(
        Arc::new(HookedStore::new(Arc::new(MemoryStore::new()), hook)),
        expiring(60),
    );
    let [known, unknown] = ["known", "unknown"].map(|id| SessionId::new(id).expect("a valid id"));
    let opened = host.sessions.open_with(known.clone()).expect("the id is free");
    host.clock.advance(Duration::from_secs(60));
    let absent = host.sessions.resume(&unknown).expect_err("it was never opened");
    assert_eq!(absent, SessionError::NotFound(unknown.clone()), "failing to clean up is no matter");
    host.sessions.open_with(unknown).expect("no other session is in the way");
    check_is_over(&opened, "expired, and not deleted");
    assert_eq!(host.sessions.close(&known), Ok(false));
    let error = host.sessions.open_with(known).expect_err("the expired one is in the way");
    assert_eq!(error.to_string(), "the session store failed: ExpireOne(SessionId(\"known\"))");
}

#[test]
fn reading_the_state_writes_nothing() {
    let writes = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&writes);
    let store = HookedStore::new(Arc::new(MemoryStore::new()), move |call, moment| {
        let is_write = matches!(call, StoreCall::Put { .. } | StoreCall::ExpireOne(_));
        let is_counted = is_write && moment == StoreMoment::Before;
        count.fetch_add(usize::from(is_counted), Ordering::Relaxed);
        Ok(())
    });
    let host = Host::with_store(Arc::new(store), expiring(60));
    let session = host.open();
    load(&session, LoadMode::Add, "a").expect("one skill is within the cap");
    writes.store(0, Ordering::Relaxed);
    host.clock.advance(Duration::from_secs(1));
    assert_eq!(active(&session), "a");
    session.unload(&Unload::These(vec!["x".to_owned()])).expect("the session is open");
    host.sessions.resume(session.id()).expect("the session is open");
    host.clock.advance(Duration::from_secs(60));
    session.state().expect_err("it has expired");
    assert_eq!(writes.load(Ordering::Relaxed), 0, "use is recorded without the bodies");
    host.sessions.resume(session.id()).expect_err("it has expired");
    assert_eq!(writes.load(Ordering::Relaxed), 1, "an expired session was deleted when it was met");
}

#[test]
fn state_has_the_last_use_by_any_handle() {
    let host = Host::new(SessionPolicy::default());
    let one = host.open();
    let other = host.sessions.resume(one.id()).expect("the session is open");
    for _ in 0..2 {
        host.clock.advance(Duration::from_secs(60));
        one.touch().expect("the session is open");
        let touched = other.state().expect("the session is open").touched;
        assert_eq!(touched, prowess_core::Clock::now(&*host.clock));
    }
}

#[test]
fn handle_returns_its_origin() {
    let agent = Some("scribe".to_owned());
    let origin = prowess_core::CallOrigin { agent, ..Default::default() };
    let session = Host::new(SessionPolicy::default()).open();
    assert_eq!(**session.origin(), prowess_core::CallOrigin::default());
    assert_eq!(**session.with_origin(origin.clone()).origin(), origin);
}

#[test]
fn bounded_store_evicts_the_least_recently_used() {
    let two = NonZeroUsize::new(2).expect("two is not zero");
    let host = Host::new(SessionPolicy { max_sessions: Some(two), ..SessionPolicy::default() });
    let open = || {
        host.clock.advance(Duration::from_secs(1));
        host.open()
    };
    let (first, second) = (open(), open());
    host.clock.advance(Duration::from_secs(1));
    first.touch().expect("the session is open");
    let third = open();
    check_is_over(&second, "driven out");
    assert_eq!((active(&first), active(&third)), (String::new(), String::new()));
}

#[test]
fn expired_session_frees_its_id() {
    let host = Host::new(expiring(60));
    let id = SessionId::new("chat-42").expect("it is a good id");
    let expired = host.sessions.open_with(id.clone()).expect("the id is free");
    load(&expired, LoadMode::Add, "a").expect("one skill is within the cap");
    let error = host.sessions.open_with(id.clone()).expect_err("the session is open");
    assert_eq!(error, OpenError::Exists(id.clone()));
    host.clock.advance(Duration::from_secs(60));
    let session = host.sessions.open_with(id).expect("the session has expired");
    assert_eq!(active(&session), "", "nothing of the expired session is left");
    let late = session.state().expect("the session is open").version;
    assert!(late > 1, "a late writer of the expired session expects another version: {late}");
}

#[test]
fn ids_are_unique_and_random() {
    let host = Host::new(SessionPolicy::default());
    let ids: BTreeSet<_> = (0..1000).map(|_| host.open().id().clone()).collect();
    assert_eq!(ids.len(), 1000, "no id comes twice");
    for id in &ids {
        let is_hexadecimal = id.as_str().bytes().all(|byte| byte.is_ascii_hexdigit());
        assert!(is_hexadecimal && id.as_str().len() == 32, "128 bits in hexadecimal: {id}");
    }
    // A counter or a clock in an id would leave some digit equal in a thousand ids.
    for at in 0..32 {
        let digits: BTreeSet<_> = ids.iter().map(|id| id.as_str().as_bytes()[at]).collect();
        assert_eq!(digits.len(), 16, "digit {at} takes every value");
    }
}

#[test]
fn a_policy_is_data_with_defaults() {
    let policy: SessionPolicy = serde_json::from_str("{}").expect("every field has a default");
    assert_eq!(policy, SessionPolicy::default());
    assert_eq!((policy.max_active, policy.on_reload), (8, OnReload::MoveToEnd));
    let policy: SessionPolicy = serde_json::from_str(r#"{"max_active": 1, "on_reload": "keep"}"#)
        .expect("a policy is plain data");
    assert_eq!((policy.max_active, policy.on_reload), (1, OnReload::Keep));
    let typing_error = serde_json::from_str::<SessionPolicy>(r#"{"max_actve": 1}"#);
    assert!(typing_error.is_err(), "an unknown field is refused");
}

#[test]
fn failing_store_is_a_store_error() {
    let clock = Arc::new(ManualClock::default());
    let full = |_: StoreCall<'_>, _| Err(StoreError::new("the disk is full"));
    let store = HookedStore::new(Arc::new(MemoryStore::new()), full);
    let sessions = Sessions::new(Arc::new(store), clock, SessionPolicy::default());
    let error = sessions.open().expect_err("nothing can be stored");
    assert_eq!(error, OpenError::Store(StoreError::new("the disk is full")));
    let error = sessions
        .resume(&SessionId::new("x").expect("it is a good id"))
        .expect_err("nothing can be read");
    assert_eq!(error.code(), "session-store-failed");
    assert_eq!(error.to_string(), "the session store failed: the disk is full");
}
