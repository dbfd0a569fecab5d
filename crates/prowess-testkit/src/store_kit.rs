//! The `# Behavior` list of `SessionStore` as checks.

use std::sync::Barrier;
use std::thread;

use prowess_core::{SessionId, SessionState, SessionStore, Timestamp};

/// The number of writers that race for one version.
const RACERS: u64 = 8;

/// Checks every rule of [`SessionStore`] on an empty store.
///
/// # Panics
///
/// Panics if the store breaks a rule; the message names it.
pub fn check_store(store: &dyn SessionStore) {
    check_load(store);
    check_put(store);
    check_race(store);
    check_delete(store);
    check_touch(store);
    check_no_return(store);
}

fn check_load(store: &dyn SessionStore) {
    let [id, other] = ["load", "load-other"].map(id);
    assert_eq!(load(store, &id), None, "`load` of what was never put gives nothing");
    put(store, &state(&id, 0, 1), None);
    let last = state(&id, 1, 2);
    put(store, &last, Some(0));
    assert_eq!(load(store, &id).as_ref(), Some(&last), "`load` gives what the last `put` stored");
    let elsewhere = thread::scope(|scope| scope.spawn(|| load(store, &id)).join());
    let elsewhere = elsewhere.expect("`load` works from any thread");
    assert_eq!(elsewhere, Some(last), "`load` gives the same from any thread");
    assert_eq!(load(store, &other), None, "`load` keeps conversations apart");
}

fn check_put(store: &dyn SessionStore) {
    let id = id("put");
    let first = state(&id, 4, 1);
    let refused = |expected, why: &str| {
        let before = load(store, &id);
        let is_stored = try_put(store, &state(&id, 9, 9), expected);
        assert!(!is_stored, "`put` refuses {why}");
        assert_eq!(load(store, &id), before, "a refused `put` stores nothing: {why}");
    };
    refused(Some(0), "a version where nothing is stored");
    assert!(try_put(store, &first, None), "`put` stores what is new");
    refused(None, "a new state where one is stored");
    refused(Some(3), "an older version than the stored one");
    refused(Some(5), "a newer version than the stored one");
    assert!(
        try_put(store, &state(&id, 5, 2), Some(4)),
        "`put` stores over the version that it expects"
    );
}

fn check_race(store: &dyn SessionStore) {
    let id = id("race");
    put(store, &state(&id, 0, 0), None);
    let start = Barrier::new(RACERS.try_into().expect("a handful"));
    let race = |racer| {
        start.wait();
        try_put(store, &state(&id, 1, racer), Some(0))
    };
    let race = &race;
    let winners: Vec<u64> = thread::scope(|scope| {
        let racers = (1..=RACERS).map(|racer| (racer, scope.spawn(move || race(racer))));
        let racers: Vec<_> = racers.collect();
        racers
            .into_iter()
            .filter_map(|(racer, run): (u64, thread::ScopedJoinHandle<'_, bool>)| {
                let is_stored = run.join().expect("`put` works from any thread");
                is_stored.then_some(racer)
            })
            .collect()
    });
    assert_eq!(winners.len(), 1, "of racing puts with one expectation just one succeeds");
    let stored = load(store, &id).map(|state| state.touched.0);
    assert_eq!(stored, Some(winners[0]), "what is stored is what the winner put");
}

fn check_delete(store: &dyn SessionStore) {
    let id = id("delete");
    assert!(!delete(store, &id), "`delete` of nothing says that there was nothing");
    put(store, &state(&id, 0, 1), None);
    assert!(delete(store, &id), "`delete` says that there was something");
    assert_eq!(load(store, &id), None, "`delete` forgets the state");
    assert!(!delete(store, &id), "a second `delete` says that there was nothing");
}

fn check_no_return(store: &dyn SessionStore) {
    let id = id("return");
    put(store, &state(&id, 0, 1), None);
    put(store, &state(&id, 1, 2), Some(0));
    delete(store, &id);
    for expected in [0, 1] {
        let is_stored = try_put(store, &state(&id, 2, 3), Some(expected));
        assert!(!is_stored, "a `put` that expects a version of a deleted state is refused");
        assert_eq!(load(store, &id), None, "a deleted state does not come back");
    }
}

fn check_touch(store: &dyn SessionStore) {
    let [id, absent] = ["touch", "touch-absent"].map(id);
    let stored = state(&id, 3, 10);
    put(store, &stored, None);
    assert!(touch(store, &id, 20), "`touch` reports that there is a state");
    let touched = SessionState { touched: Timestamp(20), ..stored };
    assert_eq!(load(store, &id), Some(touched.clone()), "`touch` changes the last use alone");
    assert!(touch(store, &id, 15), "`touch` reports a state that was used later");
    assert_eq!(load(store, &id), Some(touched), "`touch` never moves the last use back");
    let next = state(&id, 4, 30);
    assert!(try_put(store, &next, Some(3)), "a `put` succeeds after a `touch`: the version stays");
    assert_eq!(load(store, &id), Some(next), "a `put` sets the last use too");
    assert!(!touch(store, &absent, 20), "`touch` reports that there is no state");
    assert_eq!(load(store, &absent), None, "`touch` creates no state");
    delete(store, &id);
    assert!(!touch(store, &id, 40), "`touch` of a deleted state reports that there is none");
    assert_eq!(load(store, &id), None, "`touch` does not bring a deleted state back");
}

fn id(text: &str) -> SessionId {
    SessionId::new(text).expect("the kit's ids are good")
}

fn touch(store: &dyn SessionStore, id: &SessionId, at: u64) -> bool {
    store.touch(id, Timestamp(at)).expect("`touch` succeeds on a working store")
}

/// Creates a state that differs from others by `mark`.
fn state(id: &SessionId, version: u64, mark: u64) -> SessionState {
    SessionState {
        version,
        touched: Timestamp(mark),
        ..SessionState::new(id.clone(), Timestamp(0))
    }
}

fn load(store: &dyn SessionStore, id: &SessionId) -> Option<SessionState> {
    store.load(id).expect("`load` succeeds on a working store")
}

fn try_put(store: &dyn SessionStore, state: &SessionState, expected: Option<u64>) -> bool {
    let result = store.put(state.clone(), expected);
    result.expect("`put` succeeds on a working store")
}

fn put(store: &dyn SessionStore, state: &SessionState, expected: Option<u64>) {
    assert!(try_put(store, state, expected), "`put` stores what nobody contends");
}

fn delete(store: &dyn SessionStore, id: &SessionId) -> bool {
    store.delete(id).expect("`delete` succeeds on a working store")
}
