//! Tests of concurrent changes of one session.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use prowess_core::{
    LoadMode, Receipt, Session, SessionError, SessionId, SessionState, SessionStore, StoreError,
    Timestamp, Unload,
};
use prowess_session::{MemoryStore, SessionPolicy};

use crate::fixture::{Host, active, load, skill};

const THREADS: usize = 8;
const ROUNDS: usize = 50;

/// A store that records each stored state by version.
#[derive(Default)]
struct Recording {
    inner: MemoryStore,
    history: Mutex<Vec<SessionState>>,
}

impl SessionStore for Recording {
    fn load(&self, id: &SessionId) -> Result<Option<SessionState>, StoreError> {
        self.inner.load(id)
    }

    fn put(&self, state: SessionState, expected: Option<u64>) -> Result<bool, StoreError> {
        let is_stored = self.inner.put(state.clone(), expected)?;
        if is_stored {
            self.history.lock().expect("no writer panics").push(state);
        }
        Ok(is_stored)
    }

    fn touch(&self, id: &SessionId, at: Timestamp) -> Result<bool, StoreError> {
        self.inner.touch(id, at)
    }

    fn delete(&self, id: &SessionId) -> Result<bool, StoreError> {
        self.inner.delete(id)
    }
}

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
    let store = Arc::new(Recording::default());
    let host = Host::with_store(store.clone(), SessionPolicy::default());
    let session = host.open();
    let names: Vec<_> = (0..THREADS).map(|thread| format!("s{thread}")).collect();
    thread::scope(|scope| {
        for name in &names {
            let session = &session;
            scope.spawn(move || toggle(session, name));
        }
    });
    let mut history = std::mem::take(&mut *store.history.lock().expect("no writer panics"));
    history.sort_by_key(|state| state.version);
    check_is_serial(&history);
    assert_eq!(active(&session), "", "each thread unloaded what it had loaded");
}

/// Checks that each version occurs once and differs from the one before by one whole operation of
/// one thread.
fn check_is_serial(history: &[SessionState]) {
    let mut operations: BTreeMap<String, usize> = BTreeMap::new();
    for pair in history.windows(2) {
        let [before, after] = pair else { continue };
        assert_eq!(after.version, before.version + 1, "versions grow one by one");
        let changed = check_is_one_step(before, after);
        *operations.entry(changed).or_default() += 1;
    }
    assert_eq!(operations.len(), THREADS, "every thread's skill was there");
    for (id, times) in operations {
        assert_eq!(times, 2 * ROUNDS, "no operation on `{id}` was lost or came twice");
    }
}

/// Returns the skill that was appended, or removed without a change in the order of the others.
fn check_is_one_step(before: &SessionState, after: &SessionState) -> String {
    let (longer, shorter) =
        if after.active.len() > before.active.len() { (after, before) } else { (before, after) };
    let extra = longer.active.iter().find(|skill| shorter.find(&skill.id).is_none());
    let extra = extra.expect("each step changes something").id.clone();
    let mut without = longer.active.clone();
    without.retain(|skill| skill.id != extra);
    assert_eq!(without, shorter.active, "a step is one operation");
    if longer.version == after.version {
        assert_eq!(after.current().map(|last| &last.id), Some(&extra), "what is loaded is last");
    }
    extra
}

/// A store in which another writer is faster: always, or once.
struct Interfering {
    inner: MemoryStore,
    always: bool,
    is_done: AtomicBool,
}

impl Interfering {
    fn new(always: bool) -> Self {
        Self { inner: MemoryStore::new(), always, is_done: AtomicBool::new(false) }
    }

    /// Unloads everything, as another host, just before a change is stored.
    fn interfere(&self, id: &SessionId) -> Result<(), StoreError> {
        let Some(mut state) = self.inner.load(id)? else {
            return Ok(());
        };
        let expected = Some(state.version);
        state.active.clear();
        state.version += 1;
        self.inner.put(state, expected).map(drop)
    }
}

impl SessionStore for Interfering {
    fn load(&self, id: &SessionId) -> Result<Option<SessionState>, StoreError> {
        self.inner.load(id)
    }

    fn put(&self, state: SessionState, expected: Option<u64>) -> Result<bool, StoreError> {
        let is_target = state.find("b").is_some();
        if is_target && (self.always || !self.is_done.swap(true, Ordering::SeqCst)) {
            self.interfere(&state.id)?;
        }
        self.inner.put(state, expected)
    }

    fn touch(&self, id: &SessionId, at: Timestamp) -> Result<bool, StoreError> {
        self.inner.touch(id, at)
    }

    fn delete(&self, id: &SessionId) -> Result<bool, StoreError> {
        self.inner.delete(id)
    }
}

#[test]
fn conflicting_load_is_retried() {
    let host = Host::with_store(Arc::new(Interfering::new(false)), SessionPolicy::default());
    let session = host.open();
    load(&session, LoadMode::Add, "a").expect("one skill is within the cap");
    load(&session, LoadMode::Add, "b").expect("the second attempt finds nobody in its way");
    assert_eq!(active(&session), "b", "the unload came first, so `a` is gone");
}

#[test]
fn change_fails_after_limited_attempts() {
    let host = Host::with_store(Arc::new(Interfering::new(true)), SessionPolicy::default());
    let session = host.open();
    let error = load(&session, LoadMode::Add, "b").expect_err("the other one is always faster");
    assert_eq!(error, SessionError::Contended(session.id().clone()));
    assert_eq!(active(&session), "", "nothing of it was stored");
}
