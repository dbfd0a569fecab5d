//! Sessions for the checks, and calls whose errors fail a check.

use std::fmt::Debug;
use std::sync::Arc;

use prowess_core::{
    ContentKey, OperationId, PutOutcome, RemovedSession, SessionId, SessionStore, StoreError,
    StoredContent, StoredSession, Timestamp,
};

use super::Checked;

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
pub(super) fn expect<T: PartialEq + Debug>(found: T, expected: T, why: &str) -> Checked {
    if found == expected {
        return Ok(());
    }
    Err(format!("{why}: found {found:?} instead of {expected:?}"))
}

/// Stores a session that must be stored.
pub(super) fn store(
    store: &dyn SessionStore,
    session: &StoredSession,
    new: &[&StoredContent],
    expected: Option<u64>,
) -> Checked {
    expect(put(store, session, new, expected)?, PutOutcome::Stored, "`put` does not store")
}

pub(super) fn put(
    store: &dyn SessionStore,
    session: &StoredSession,
    new: &[&StoredContent],
    expected: Option<u64>,
) -> Result<PutOutcome, String> {
    let new: Vec<_> = new.iter().map(|&content| content.clone()).collect();
    store.put(session, &new, expected.map(OperationId)).map_err(failed("put"))
}

pub(super) fn load(
    store: &dyn SessionStore,
    id: &SessionId,
) -> Result<Option<StoredSession>, String> {
    store.load(id).map_err(failed("load"))
}

pub(super) fn text(store: &dyn SessionStore, key: ContentKey) -> Result<Option<Arc<str>>, String> {
    let texts = store.contents(&[key]).map_err(failed("contents"))?;
    expect(texts.len(), 1, "the number of texts for one key")?;
    Ok(texts.into_iter().next().flatten())
}

pub(super) fn touch(
    store: &dyn SessionStore,
    id: &SessionId,
    at: u64,
    expires: Option<u64>,
) -> Result<bool, String> {
    store.touch(id, Timestamp(at), expires.map(Timestamp)).map_err(failed("touch"))
}

pub(super) fn delete(
    store: &dyn SessionStore,
    id: &SessionId,
    expected: u64,
) -> Result<bool, String> {
    store.delete(id, OperationId(expected)).map_err(failed("delete"))
}

pub(super) fn expire(store: &dyn SessionStore, now: u64) -> Result<usize, String> {
    let removed = store.expire_before(Timestamp(now)).map_err(failed("expire_before"))?;
    check_removed(store, &removed)?;
    Ok(removed.len())
}

/// Checks that removed sessions are not stored, and have their texts.
pub(super) fn check_removed(
    store: &dyn SessionStore,
    removed: &[RemovedSession],
) -> Result<(), String> {
    for RemovedSession { session, texts } in removed {
        expect(load(store, &session.id)?, None, "a session that was returned as removed")?;
        let keys: Vec<_> = texts.iter().flatten().map(|text| ContentKey::of(text)).collect();
        expect(keys, session.contents.clone(), "the texts of a removed session")?;
    }
    Ok(())
}

pub(super) fn failed(call: &str) -> impl Fn(StoreError) -> String {
    move |error| format!("`{call}` fails on a working store: {}", error.0)
}
