//! Tests of concurrent changes of one session.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use prowess_core::{
    ContentKey, LoadMode, PutOutcome, Receipt, Session, SessionError, StoredSession, Unload,
};
use prowess_session::{MemoryStore, SessionPolicy};
use prowess_testkit::{HookedStore, StoreCall, StoreMoment};

use crate::fixture::{Host, active, load, skill};

const THREADS: usize = 8;
const ROUNDS: usize = 50;

/// Repeats an operation until it is not contended.
fn insist(operation: impl Fn() -> Result<Receipt, SessionError>) {
    loop {
        match operation() {
            Err(SessionError::Contended(_)) => thread::yield_now(),
            result => return drop(result.expect("the session is open and has room")),
        }
    }
}

/// Loads and unloads one skill repeatedly; each time this changes the state.
fn toggle(session: &dyn Session, id: &str) {
    for _ in 0..ROUNDS {
        insist(|| session.load(&[skill(id)], LoadMode::Add));
        insist(|| session.unload(&Unload::These(vec![id.to_owned()])));
    }
}

#[test]
fn concurrent_changes_are_serialisable() {
    let history = Arc::new(Mutex::new(Vec::new()));
    let recorded = Arc::clone(&history);
    let store = HookedStore::new(Arc::new(MemoryStore::new()), move |call, moment| {
        if let (StoreCall::Put { session, .. }, StoreMoment::After(Some(PutOutcome::Stored))) =
            (call, moment)
        {
            recorded.lock().expect("no writer panics").push(session.clone());
        }
        Ok(())
    });
    let host = Host::with_store(Arc::new(store), SessionPolicy::default());
    let session = host.open();
    let names: Vec<_> = (0..THREADS).map(|thread| format!("s{thread}")).collect();
    thread::scope(|scope| {
        for name in &names {
            let session = &session;
            scope.spawn(move || toggle(session, name));
        }
    });
    let mut history = std::mem::take(&mut *history.lock().expect("no writer panics"));
    history.sort_by_key(|stored| stored.version);
    check_is_serial(&history);
    assert_eq!(active(&session), "", "each thread unloaded what it had loaded");
}

/// Checks that each version occurs once and differs from the one before by one whole operation of
/// one thread.
fn check_is_serial(history: &[StoredSession]) {
    let mut operations: BTreeMap<ContentKey, usize> = BTreeMap::new();
    for pair in history.windows(2) {
        let [before, after] = pair else { continue };
        assert_eq!(after.version, before.version + 1, "versions grow one by one");
        let changed = check_is_one_step(before, after);
        *operations.entry(changed).or_default() += 1;
    }
    assert_eq!(operations.len(), THREADS, "every thread's skill was there");
    for (id, times) in operations {
        assert_eq!(times, 2 * ROUNDS, "no operation on `{id:?}` was lost or came twice");
    }
}

/// Returns the skill that was appended, or removed without a change in the order of the others.
fn check_is_one_step(before: &StoredSession, after: &StoredSession) -> ContentKey {
    let is_load = after.contents.len() > before.contents.len();
    let longer = if is_load { after } else { before };
    let shorter = if is_load { before } else { after };
    let mut longer = longer.contents.clone();
    let extra = longer.iter().position(|key| !shorter.contents.contains(key));
    let extra = longer.remove(extra.expect("each step changes something"));
    assert_eq!(longer, shorter.contents, "a step is one operation");
    if is_load {
        assert_eq!(after.contents.last(), Some(&extra), "what is loaded is last");
    }
    extra
}

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
