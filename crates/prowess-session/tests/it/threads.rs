//! Tests of concurrent changes of one session.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use prowess_core::{LoadMode, SessionError, Unload};
use prowess_session::{MemoryStore, SessionPolicy};
use prowess_testkit::{HookedStore, StoreCall, StoreMoment};

use crate::fixture::{Host, active, load};

/// Returns a store in which another host is faster than the next `times` changes: it unloads what
/// is loaded, or loads `x`.
fn interfering(times: &Arc<AtomicUsize>) -> Arc<HookedStore> {
    let inner = Arc::new(MemoryStore::new());
    let other = Host::with_store(inner.clone(), SessionPolicy::default()).sessions;
    let times = Arc::clone(times);
    Arc::new(HookedStore::new(inner, move |call, moment| {
        let StoreCall::Put { session, .. } = call else { return Ok(()) };
        let is_left = |left: usize| left.checked_sub(1);
        let is_target = moment == StoreMoment::Before && session.version > 0;
        let order = Ordering::SeqCst;
        if is_target && times.fetch_update(order, order, is_left).is_ok() {
            let other = other.resume(&session.id).expect("the session is open");
            if active(&other).is_empty() {
                load(&other, LoadMode::Add, "x").expect("there is room");
            } else {
                other.unload(&Unload::All).expect("the session is open");
            }
        }
        Ok(())
    }))
}

#[test]
fn conflicting_load_is_retried() {
    let times = Arc::new(AtomicUsize::new(0));
    let host = Host::with_store(interfering(&times), SessionPolicy::default());
    let session = host.open();
    load(&session, LoadMode::Add, "a").expect("one skill is within the cap");
    times.store(1, Ordering::SeqCst);
    load(&session, LoadMode::Add, "b").expect("the second attempt succeeds");
    assert_eq!(active(&session), "b", "the unload came first, so `a` is gone");
}

#[test]
fn change_fails_after_limited_attempts() {
    let times = Arc::new(AtomicUsize::new(usize::MAX));
    let host = Host::with_store(interfering(&times), SessionPolicy::default());
    let session = host.open();
    let error = load(&session, LoadMode::Add, "b").expect_err("the other one is always faster");
    assert_eq!(error, SessionError::Contended(session.id().clone()));
    assert_eq!(active(&session), "", "`b` was never stored");
}
