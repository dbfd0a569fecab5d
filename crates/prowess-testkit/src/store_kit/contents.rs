//! Checks of the contents of sessions.

use std::sync::Arc;

use prowess_core::{
    ContentKey, PutOutcome, RemovedSession, SessionStore, StoredContent, StoredSession, Timestamp,
};

use super::sample::{
    WORKING, delete, expect, expire, id, load, put, session_with, store as put_new, text,
};

/// Returns a content that no other check uses.
fn content(text: &str) -> StoredContent {
    StoredContent::new(format!("A content of the kit: {text}\0\u{1F511}"))
}

fn is_stored(store: &dyn SessionStore, content: &StoredContent, why: &str) {
    expect(text(store, content.key()).as_ref(), Some(content.text()), why);
}

pub(super) fn contents_are_returned_in_order(store: &dyn SessionStore) {
    let id = id("order");
    let [one, other, absent] = ["order 1", "order 2", "order 3"].map(content);
    let session = session_with(&id, 1, &[&one, &other, &one]);
    put_new(store, &session, &[&other, &one], None);
    expect(load(store, &id), Some(session), "the session with its references");
    let keys = [&other, &absent, &one, &other].map(StoredContent::key);
    let found = store.contents(&keys).expect(WORKING);
    let expected = [Some(&other), None, Some(&one), Some(&other)];
    let expected = expected.map(|content| content.map(|content| content.text().clone()));
    expect(&found[..], &expected[..], "the texts of four keys, one of them unknown");
    let none = store.contents(&[]).expect(WORKING);
    expect(none.len(), 0, "the number of texts of no key");
}

pub(super) fn contents_are_shared(store: &dyn SessionStore) {
    let [one, other] = ["shared", "shared-other"].map(id);
    let shared = content("shared");
    put_new(store, &session_with(&one, 1, &[&shared]), &[&shared], None);
    // The second session refers to the stored content and passes no text.
    put_new(store, &session_with(&other, 1, &[&shared]), &[], None);
    is_stored(store, &shared, "a content of two sessions");
}

pub(super) fn contents_stay_while_referred_to(store: &dyn SessionStore) {
    let [one, other] = ["kept", "kept-other"].map(id);
    let kept = content("kept");
    put_new(store, &session_with(&one, 1, &[&kept, &kept]), &[&kept], None);
    put_new(store, &session_with(&other, 1, &[&kept]), &[&kept], None);
    delete(store, &one, 1);
    expire(store, 0);
    is_stored(store, &kept, "a content after the first of its two sessions is deleted");
}

pub(super) fn contents_stay_with_the_next_put(store: &dyn SessionStore) {
    let id = id("next");
    let [kept, added] = ["next 1", "next 2"].map(content);
    put_new(store, &session_with(&id, 1, &[&kept]), &[&kept], None);
    put_new(store, &session_with(&id, 2, &[&added, &kept]), &[&added], Some(1));
    expire(store, 0);
    is_stored(store, &kept, "a content that the next state of its session has too");
    is_stored(store, &added, "a content that the next state of a session adds");
}

pub(super) fn contents_go_with_the_last_session(store: &dyn SessionStore) {
    let [one, other] = ["last", "last-other"].map(id);
    let unused = content("last");
    put_new(store, &session_with(&one, 1, &[&unused]), &[&unused], None);
    put_new(store, &session_with(&other, 1, &[&unused]), &[], None);
    delete(store, &one, 1);
    delete(store, &other, 1);
    expire(store, 0);
    expect(text(store, unused.key()), None, "a content after its last session is deleted");
}

pub(super) fn contents_go_when_replaced(store: &dyn SessionStore) {
    let id = id("replaced");
    let [before, after] = ["replaced 1", "replaced 2"].map(content);
    put_new(store, &session_with(&id, 1, &[&before]), &[&before], None);
    put_new(store, &session_with(&id, 2, &[&after]), &[&after], Some(1));
    expire(store, 0);
    expect(text(store, before.key()), None, "a content that the next state does not have");
}

pub(super) fn removed_sessions_have_their_texts(store: &dyn SessionStore) {
    let id = id("removed");
    let [one, other] = ["removed 1", "removed 2"].map(content);
    let session = StoredSession {
        expires: Some(Timestamp(1)),
        ..session_with(&id, 1, &[&one, &other, &one])
    };
    put_new(store, &session, &[&one, &other], None);
    let removed = store.expire_before(Timestamp(1)).expect(WORKING);
    let texts = [&one, &other, &one].map(|content| Some(Arc::clone(content.text()))).into();
    expect(removed, vec![RemovedSession { session, texts }], "the removed sessions");
}

pub(super) fn put_without_its_content_fails(store: &dyn SessionStore) {
    let id = id("missing");
    let [passed, missing] = ["missing 1", "missing 2"].map(content);
    let session = session_with(&id, 1, &[&passed, &missing]);
    let outcome = store.put(&session, std::slice::from_ref(&passed), None);
    if let Ok(outcome) = outcome {
        panic!("a `put` without the text of a content: {outcome:?}");
    }
    expect(load(store, &id), None, "the session after a `put` that failed");
    expire(store, 0);
    expect(text(store, passed.key()), None, "a content of a `put` that failed");
    put_new(store, &session, &[&passed, &missing], None);
    is_stored(store, &missing, "a content of a `put` that was repeated with its text");
}

pub(super) fn put_in_conflict_stores_no_content(store: &dyn SessionStore) {
    let id = id("refused");
    let [stored, refused] = ["refused 1", "refused 2"].map(content);
    put_new(store, &session_with(&id, 1, &[&stored]), &[&stored], None);
    let outcome = put(store, &session_with(&id, 2, &[&refused]), &[&refused], None);
    expect(outcome, PutOutcome::Conflict, "a `put` that expects no session");
    expire(store, 0);
    expect(text(store, refused.key()), None, "a content of a `put` in conflict");
    is_stored(store, &stored, "a content of the stored session after a conflict");
    let key = ContentKey::of(stored.text());
    expect(key, stored.key(), "the key of a content");
}
