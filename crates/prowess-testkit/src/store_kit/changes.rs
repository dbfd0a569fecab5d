//! Checks of loading, storing and deleting sessions.

use std::sync::Barrier;
use std::thread;

use prowess_core::{PutOutcome, SessionStore, StoredSession};

use super::sample::{WORKING, delete, expect, id, load, put, session, store as put_new};

/// The number of writers that race for one session.
const RACERS: usize = 8;

/// The number of races: one alone may pass by chance.
const RACES: usize = 20;

pub(super) fn load_returns_the_last_put(store: &dyn SessionStore) {
    let id = id("load");
    expect(load(store, &id), None, "`load` of a session that was never stored");
    put_new(store, &session(&id, 1), &[], None);
    let last = StoredSession { version: u64::MAX >> 1, ..session(&id, 2) };
    put_new(store, &last, &[], Some(1));
    expect(load(store, &id), Some(last), "`load` after two puts");
}

pub(super) fn load_from_any_thread(store: &dyn SessionStore) {
    let id = id("threads");
    put_new(store, &session(&id, 1), &[], None);
    let found = thread::scope(|scope| scope.spawn(|| load(store, &id)).join());
    expect(found.expect(WORKING), Some(session(&id, 1)), "`load` in another thread");
}

pub(super) fn sessions_are_separate(store: &dyn SessionStore) {
    let [one, other, upper] = ["separate", "separate-other", "SEPARATE"].map(id);
    put_new(store, &session(&one, 1), &[], None);
    expect(load(store, &other), None, "`load` of another id");
    expect(load(store, &upper), None, "`load` of an id in capitals");
    put_new(store, &session(&other, 2), &[], None);
    expect(load(store, &one), Some(session(&one, 1)), "a session after `put` of another");
    delete(store, &other, 2);
    expect(load(store, &one), Some(session(&one, 1)), "a session after `delete` of another");
}

pub(super) fn put_stores_a_new_session(store: &dyn SessionStore) {
    let id = id("new");
    let outcome = put(store, &session(&id, 1), &[], None);
    expect(outcome, PutOutcome::Stored, "`put` of a new session");
    expect(load(store, &id), Some(session(&id, 1)), "`load` after `put` of a new session");
}

pub(super) fn put_keeps_an_existing_session(store: &dyn SessionStore) {
    let id = id("existing");
    put_new(store, &session(&id, 1), &[], None);
    conflicts(store, &session(&id, 2), None, "that expects no session");
}

pub(super) fn put_needs_the_expected_operation(store: &dyn SessionStore) {
    let id = id("expected");
    put_new(store, &session(&id, 5), &[], None);
    conflicts(store, &session(&id, 9), Some(4), "that expects a smaller operation");
    conflicts(store, &session(&id, 9), Some(6), "that expects a greater operation");
    put_new(store, &session(&id, 6), &[], Some(5));
    conflicts(store, &session(&id, 9), Some(5), "that expects an overwritten operation");
}

pub(super) fn put_needs_an_existing_session(store: &dyn SessionStore) {
    let id = id("absent");
    conflicts(store, &session(&id, 2), Some(1), "that expects a session where there is none");
}

/// Checks that a `put` is a conflict and changes nothing.
fn conflicts(
    store: &dyn SessionStore,
    session: &StoredSession,
    expected: Option<u64>,
    which: &str,
) {
    let before = load(store, &session.id);
    let outcome = put(store, session, &[], expected);
    expect(outcome, PutOutcome::Conflict, &format!("a `put` {which}"));
    expect(load(store, &session.id), before, &format!("the session after a `put` {which}"));
}

pub(super) fn put_race_has_one_winner(store: &dyn SessionStore) {
    let id = id("race");
    put_new(store, &session(&id, 0), &[], None);
    for race in 0..RACES {
        let expected = load(store, &id).map(|stored| stored.operation.0);
        let start = Barrier::new(RACERS);
        let run = |racer: usize| {
            let operation = (1 + race * RACERS + racer) as u64;
            start.wait();
            let outcome = put(store, &session(&id, operation), &[], expected);
            (outcome == PutOutcome::Stored).then_some(operation)
        };
        let run = &run;
        let winners: Vec<u64> = thread::scope(|scope| {
            let racers: Vec<_> = (0..RACERS).map(|racer| scope.spawn(move || run(racer))).collect();
            racers.into_iter().filter_map(|racer| racer.join().expect(WORKING)).collect()
        });
        expect(winners.len(), 1, "the winners of a race for one session");
        let stored = load(store, &id).map(|stored| stored.operation.0);
        expect(stored, winners.first().copied(), "the stored operation after a race");
    }
}

pub(super) fn put_recognizes_its_operation(store: &dyn SessionStore) {
    let id = id("repeated");
    put_new(store, &session(&id, 1), &[], None);
    let again = put(store, &session(&id, 1), &[], None);
    expect(again, PutOutcome::AlreadyStored, "a repeated `put` of a new session");
    put_new(store, &session(&id, 2), &[], Some(1));
    let again = put(store, &session(&id, 2), &[], Some(1));
    expect(again, PutOutcome::AlreadyStored, "a repeated `put` of a change");
    expect(load(store, &id), Some(session(&id, 2)), "the session after a repeated `put`");
}

pub(super) fn put_forgets_overwritten_operations(store: &dyn SessionStore) {
    let id = id("overwritten");
    put_new(store, &session(&id, 1), &[], None);
    put_new(store, &session(&id, 2), &[], Some(1));
    conflicts(store, &session(&id, 1), None, "of an operation that was overwritten");
}

pub(super) fn delete_removes_a_session(store: &dyn SessionStore) {
    let id = id("delete");
    put_new(store, &session(&id, 1), &[], None);
    expect(delete(store, &id, 1), true, "`delete` of a stored session");
    expect(load(store, &id), None, "`load` of a deleted session");
}

pub(super) fn delete_reports_a_missing_session(store: &dyn SessionStore) {
    let id = id("delete-absent");
    expect(delete(store, &id, 1), false, "`delete` of a session that was never stored");
    put_new(store, &session(&id, 1), &[], None);
    delete(store, &id, 1);
    expect(delete(store, &id, 1), false, "a second `delete`");
}

pub(super) fn delete_needs_the_expected_operation(store: &dyn SessionStore) {
    let id = id("delete-expected");
    put_new(store, &session(&id, 1), &[], None);
    put_new(store, &session(&id, 2), &[], Some(1));
    expect(delete(store, &id, 1), false, "`delete` that expects an overwritten operation");
    expect(load(store, &id), Some(session(&id, 2)), "the session after such a `delete`");
    expect(delete(store, &id, 2), true, "`delete` that expects the stored operation");
}

pub(super) fn deleted_sessions_stay_deleted(store: &dyn SessionStore) {
    let id = id("deleted");
    put_new(store, &session(&id, 1), &[], None);
    delete(store, &id, 1);
    conflicts(store, &session(&id, 2), Some(1), "that expects a deleted session");
    // Another session with the same number of changes.
    put_new(store, &StoredSession { version: 1, ..session(&id, 3) }, &[], None);
    conflicts(store, &session(&id, 2), Some(1), "that expects a session which was replaced");
}
