//! A `SessionStore` of the host: it counts what conversations write, in front of another store.
//!
//! A store of its own keeps the rules of the trait, which the kit checks; `MemoryStore` of
//! `prowess-session` and `SessionDatabase` of `prowess-state` are two to read.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use extension_points::kitchen;
use prowess::session::MemoryStore;
use prowess::{
    ContentKey, Error, OperationId, PutOutcome, RemovedSession, SessionId, SessionStore,
    SessionSummary, StoreError, StoredContent, StoredSession, Timestamp, ToolCall,
};
use serde_json::json;

#[derive(Default)]
struct Counted<S> {
    store: S,
    writes: AtomicUsize,
}

impl<S: SessionStore> SessionStore for Counted<S> {
    fn put(
        &self,
        session: &StoredSession,
        new: &[StoredContent],
        expected: Option<OperationId>,
    ) -> Result<PutOutcome, StoreError> {
        self.writes.fetch_add(1, Ordering::Relaxed);
        self.store.put(session, new, expected)
    }

    fn load(&self, id: &SessionId) -> Result<Option<StoredSession>, StoreError> {
        self.store.load(id)
    }

    fn contents(&self, keys: &[ContentKey]) -> Result<Vec<Option<Arc<str>>>, StoreError> {
        self.store.contents(keys)
    }

    fn touch(
        &self,
        id: &SessionId,
        at: Timestamp,
        expires: Option<Timestamp>,
    ) -> Result<bool, StoreError> {
        self.store.touch(id, at, expires)
    }

    fn list(
        &self,
        after: Option<&SessionId>,
        most: usize,
    ) -> Result<Vec<SessionSummary>, StoreError> {
        self.store.list(after, most)
    }

    fn expire_before(&self, now: Timestamp) -> Result<Vec<RemovedSession>, StoreError> {
        self.store.expire_before(now)
    }

    fn evict(&self, most: usize, keep: &SessionId) -> Result<Vec<RemovedSession>, StoreError> {
        self.store.evict(most, keep)
    }

    fn delete(&self, id: &SessionId, expected: OperationId) -> Result<bool, StoreError> {
        self.store.delete(id, expected)
    }
}

fn main() -> Result<(), Error> {
    let store = Arc::new(Counted::<MemoryStore>::default());
    let runtime = kitchen().session_store(Arc::clone(&store) as _).build()?;
    let session = runtime.open_session()?;
    let load = ToolCall::new("skills_load", json!({ "names": ["tea"] }));
    let before = store.writes.load(Ordering::Relaxed);
    runtime.turn(&session)?.call(&load);
    println!("the load was stored: {}", store.writes.load(Ordering::Relaxed) > before);
    Ok(())
}

#[cfg(test)]
#[test]
fn store_passes_its_kit() {
    let report = prowess_testkit::check_store(&Counted::<MemoryStore>::default());
    assert!(report.is_passed(), "{report}");
}
