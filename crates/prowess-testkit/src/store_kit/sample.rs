//! Sessions for the checks, and calls whose errors fail a check.

use std::fmt::Debug;
use std::sync::Arc;

use prowess_core::{
    ContentKey, OperationId, PutOutcome, RemovedSession, SessionId, SessionStore, StoredContent,
    StoredSession, Timestamp,
};

pub(super) fn id(text: &str) -> SessionId {
    SessionId::new(text).expect("the ids of the kit have allowed characters only")
}

/// Returns a session without contents; the operation makes it differ from others.
pub(super) fn session(id: &SessionId, operation: u64) -> StoredSession {
    StoredSession {
        id: id.clone(),
        version: operation,
        operation: OperationId(operation),
        contents: Vec::new(),
        details: Arc::from(operation.to_be_bytes()),
        touched: Timestamp(10),
        expires: None,
    }
}

/// Returns a session that refers to these contents.
pub(super) fn session_with(
    id: &SessionId,
    operation: u64,
    contents: &[&StoredContent],
) -> StoredSession {
    let contents = contents.iter().map(|content| content.key()).collect();
    StoredSession { contents, ..session(id, operation) }
}

/// Returns a session that was used and expires at these times.
pub(super) fn session_at(
    id: &SessionId,
    operation: u64,
    touched: u64,
    expires: Option<u64>,
) -> StoredSession {
    let expires = expires.map(Timestamp);
    StoredSession { touched: Timestamp(touched), expires, ..session(id, operation) }
}

#[expect(clippy::needless_pass_by_value, reason = "callers pass what they compute")]
pub(super) fn expect<T: PartialEq + Debug>(found: T, expected: T, why: &str) {
    assert_eq!(found, expected, "{why}");
}

pub(super) fn store(
    store: &dyn SessionStore,
    session: &StoredSession,
    new: &[&StoredContent],
    expected: Option<u64>,
) {
    expect(put(store, session, new, expected), PutOutcome::Stored, "`put` does not store");
}

pub(super) fn put(
    store: &dyn SessionStore,
    session: &StoredSession,
    new: &[&StoredContent],
    expected: Option<u64>,
) -> PutOutcome {
    let new: Vec<_> = new.iter().map(|&content| content.clone()).collect();
    store.put(session, &new, expected.map(OperationId)).expect(WORKING)
}

/// The message of a call that fails and must not.
pub(super) const WORKING: &str = "a call succeeds on a working store";

pub(super) fn load(store: &dyn SessionStore, id: &SessionId) -> Option<StoredSession> {
    store.load(id).expect(WORKING)
}

/// Compares a stored session.
pub(super) fn stored(
    store: &dyn SessionStore,
    id: &SessionId,
    expected: Option<StoredSession>,
    why: &str,
) {
    expect(load(store, id), expected, why);
}

pub(super) fn text(store: &dyn SessionStore, key: ContentKey) -> Option<Arc<str>> {
    let texts = store.contents(&[key]).expect(WORKING);
    expect(texts.len(), 1, "the number of texts for one key");
    texts.into_iter().next().flatten()
}

pub(super) fn touch(
    store: &dyn SessionStore,
    id: &SessionId,
    at: u64,
    expires: Option<u64>,
) -> bool {
    store.touch(id, Timestamp(at), expires.map(Timestamp)).expect(WORKING)
}

pub(super) fn delete(store: &dyn SessionStore, id: &SessionId, expected: u64) -> bool {
    store.delete(id, OperationId(expected)).expect(WORKING)
}

pub(super) fn expire(store: &dyn SessionStore, now: u64) -> usize {
    let removed = store.expire_before(Timestamp(now)).expect(WORKING);
    check_removed(store, &removed);
    removed.len()
}

/// Checks that removed sessions are not stored, and have their texts.
pub(super) fn check_removed(store: &dyn SessionStore, removed: &[RemovedSession]) {
    for RemovedSession { session, texts } in removed {
        expect(load(store, &session.id), None, "a session that was returned as removed");
        let keys: Vec<_> = texts.iter().flatten().map(|text| ContentKey::of(text)).collect();
        expect(keys, session.contents.clone(), "the texts of a removed session");
    }
}
