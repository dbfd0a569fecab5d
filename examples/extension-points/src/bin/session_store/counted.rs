//! The store. One that stores sessions itself keeps the rules of the trait, which the kit checks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use prowess::{
    ContentKey, OperationId, PutOutcome, RemovedSession, SessionId, SessionStore, SessionSummary,
    StoreError, StoredContent, StoredSession, Timestamp,
};

type Result<T> = std::result::Result<T, StoreError>;

#[derive(Default)]
pub(crate) struct Counted<S>(S, AtomicUsize);

impl<S> Counted<S> {
    pub(crate) fn writes(&self) -> usize {
        self.1.load(Ordering::Relaxed)
    }
}

impl<S: SessionStore> SessionStore for Counted<S> {
    fn put(
        &self,
        session: &StoredSession,
        new: &[StoredContent],
        expected: Option<OperationId>,
    ) -> Result<PutOutcome> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.put(session, new, expected)
    }
    fn load(&self, id: &SessionId) -> Result<Option<StoredSession>> {
        self.0.load(id)
    }
    fn contents(&self, keys: &[ContentKey]) -> Result<Vec<Option<Arc<str>>>> {
        self.0.contents(keys)
    }
    fn touch(&self, id: &SessionId, at: Timestamp, expires: Option<Timestamp>) -> Result<bool> {
        self.0.touch(id, at, expires)
    }
    fn list(&self, after: Option<&SessionId>, most: usize) -> Result<Vec<SessionSummary>> {
        self.0.list(after, most)
    }
    fn expire_before(&self, now: Timestamp) -> Result<Vec<RemovedSession>> {
        self.0.expire_before(now)
    }
    fn evict(&self, most: usize, keep: &SessionId) -> Result<Vec<RemovedSession>> {
        self.0.evict(most, keep)
    }
    fn delete(&self, id: &SessionId, expected: OperationId) -> Result<bool> {
        self.0.delete(id, expected)
    }
}
