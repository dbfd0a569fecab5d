//! Checks of lists, and of the limit on the number of sessions.

use prowess_core::{SessionId, SessionStore, SessionSummary};

use super::sample::{
    WORKING, check_removed, delete, expect, id, load, session_at, store as put_new, touch,
};

/// More than the sessions of all checks.
const ALL: usize = 10_000;

fn page(store: &dyn SessionStore, after: Option<&SessionId>, limit: usize) -> Vec<SessionSummary> {
    store.list(after, limit).expect(WORKING)
}

fn put_many(store: &dyn SessionStore, ids: &[SessionId]) {
    ids.iter().for_each(|id| put_new(store, &session_at(id, 1, 10, None), &[], None));
}

pub(super) fn list_is_ordered_and_limited(store: &dyn SessionStore) {
    put_many(store, &["list-b", "list-a", "list-C", "list-10", "list-9"].map(id));
    expect(page(store, None, 0).len(), 0, "the length of a page of none");
    expect(page(store, None, 3).len(), 3, "the length of a page of three");
    let all: Vec<_> = page(store, None, ALL).into_iter().map(|summary| summary.id).collect();
    let mut sorted = all.clone();
    sorted.sort();
    expect(all, sorted, "the order of a list");
}

pub(super) fn list_pages_are_complete(store: &dyn SessionStore) {
    let ids = ["pages-1", "pages-2", "pages-3", "pages-4", "pages-5"].map(id);
    put_many(store, &ids);
    let mut found = Vec::new();
    let mut after = None;
    for _ in 0..ALL {
        let page = page(store, after.as_ref(), 2);
        let Some(last) = page.last() else { break };
        after = Some(last.id.clone());
        found.extend(page.into_iter().map(|summary| summary.id));
        // A deleted session must not shift the next page.
        if after.as_ref() == Some(&ids[1]) {
            delete(store, &ids[0], 1);
        }
    }
    let of_check = found.into_iter().filter(|id| ids.contains(id)).collect::<Vec<_>>();
    expect(&of_check[..], &ids[..], "the sessions on all pages of two");
}

pub(super) fn list_shows_each_session(store: &dyn SessionStore) {
    let id = id("shown");
    let session = session_at(&id, 1, 10, Some(900_000));
    put_new(store, &session, &[], None);
    touch(store, &id, 20, Some(900_010));
    let expected = SessionSummary::from(&session_at(&id, 1, 20, Some(900_010)));
    let found = page(store, None, ALL).into_iter().find(|summary| summary.id == id);
    expect(found, Some(expected), "a session in the list");
    delete(store, &id, 1);
    let found = page(store, None, ALL).into_iter().find(|summary| summary.id == id);
    expect(found, None, "a deleted session in the list");
}

fn evict(store: &dyn SessionStore, most: usize, keep: &SessionId) -> usize {
    let removed = store.evict(most, keep).expect(WORKING);
    check_removed(store, &removed);
    removed.len()
}

fn are_stored(store: &dyn SessionStore, ids: &[&SessionId]) -> Vec<bool> {
    ids.iter().map(|id| load(store, id).is_some()).collect()
}

pub(super) fn evict_removes_the_least_recent(store: &dyn SessionStore) {
    let [old, middle, new] = ["evict-old", "evict-middle", "evict-new"].map(id);
    for (id, touched) in [(&middle, 2), (&new, 60_000), (&old, 1)] {
        put_new(store, &session_at(id, 1, touched, None), &[], None);
    }
    let all = page(store, None, ALL).len();
    expect(evict(store, all, &new), 0, "the evictions within the limit");
    expect(evict(store, all - 1, &new), 1, "the evictions with one session over the limit");
    let stored = are_stored(store, &[&old, &middle, &new]);
    expect(stored, vec![false, true, true], "the oldest, the next and the newest session");
    expect(evict(store, all - 2, &new), 1, "the evictions with one more over the limit");
    let stored = are_stored(store, &[&middle, &new]);
    expect(stored, vec![false, true], "the oldest and the newest session");
}

pub(super) fn evict_keeps_the_named_session(store: &dyn SessionStore) {
    let [keep, other] = ["keep", "keep-other"].map(id);
    put_new(store, &session_at(&keep, 1, 1, None), &[], None);
    put_new(store, &session_at(&other, 1, 2, None), &[], None);
    let all = page(store, None, ALL).len();
    evict(store, all - 1, &keep);
    let stored = are_stored(store, &[&keep, &other]);
    expect(stored, vec![true, false], "the named session and the next one");
    delete(store, &keep, 1);
}

pub(super) fn evict_follows_the_last_use(store: &dyn SessionStore) {
    let [used, unused, newest] = ["use-used", "use-unused", "use-newest"].map(id);
    for (id, touched) in [(&used, 1), (&unused, 2), (&newest, 60_000)] {
        put_new(store, &session_at(id, 1, touched, None), &[], None);
    }
    let all = page(store, None, ALL).len();
    evict(store, all, &newest);
    touch(store, &used, 50_000, None);
    evict(store, all - 1, &newest);
    let stored = are_stored(store, &[&used, &unused, &newest]);
    expect(stored, vec![true, false, true], "a session after its use, one without, the newest");
}
