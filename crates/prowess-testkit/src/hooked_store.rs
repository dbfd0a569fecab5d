//! A session store that calls a function around each call.

use std::sync::Arc;

use prowess_core::{
    ContentKey, OperationId, PutOutcome, RemovedSession, SessionId, SessionStore, SessionSummary,
    StoreError, StoredContent, StoredSession, Timestamp,
};

/// A call of a [`HookedStore`].
#[derive(Clone, Copy, Debug)]
pub enum StoreCall<'a> {
    /// `load`.
    Load(&'a SessionId),
    /// `contents`.
    Contents(&'a [ContentKey]),
    /// `put`.
    Put {
        /// The session.
        session: &'a StoredSession,
        /// The contents that are passed with it.
        new: &'a [StoredContent],
        /// The operation that it expects.
        expected: Option<OperationId>,
    },
    /// `touch`.
    Touch(&'a SessionId),
    /// `list`.
    List,
    /// `expire_before`.
    ExpireBefore(Timestamp),
    /// `expire_one`.
    ExpireOne(&'a SessionId),
    /// `evict`.
    Evict,
    /// `delete`.
    Delete(&'a SessionId),
}

/// The moment in a call of a [`HookedStore`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreMoment {
    /// Before the wrapped store is called. An error replaces the call.
    Before,
    /// After the call, with the outcome of a `put`. An error replaces the answer: it is lost.
    After(Option<PutOutcome>),
}

type Hook = dyn Fn(StoreCall<'_>, StoreMoment) -> Result<(), StoreError> + Send + Sync;

/// Wraps a store and calls a function before and after each call, to count, record, interfere or
/// fail.
pub struct HookedStore {
    inner: Arc<dyn SessionStore>,
    hook: Box<Hook>,
}

impl HookedStore {
    /// Wraps `inner`.
    pub fn new(
        inner: Arc<dyn SessionStore>,
        hook: impl Fn(StoreCall<'_>, StoreMoment) -> Result<(), StoreError> + Send + Sync + 'static,
    ) -> Self {
        Self { inner, hook: Box::new(hook) }
    }

    fn around<T>(
        &self,
        call: StoreCall<'_>,
        run: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        (self.hook)(call, StoreMoment::Before)?;
        let answer = run()?;
        (self.hook)(call, StoreMoment::After(None))?;
        Ok(answer)
    }
}

impl SessionStore for HookedStore {
    fn load(&self, id: &SessionId) -> Result<Option<StoredSession>, StoreError> {
        self.around(StoreCall::Load(id), || self.inner.load(id))
    }

    fn contents(&self, keys: &[ContentKey]) -> Result<Vec<Option<Arc<str>>>, StoreError> {
        self.around(StoreCall::Contents(keys), || self.inner.contents(keys))
    }

    fn put(
        &self,
        session: &StoredSession,
        new: &[StoredContent],
        expected: Option<OperationId>,
    ) -> Result<PutOutcome, StoreError> {
        let call = StoreCall::Put { session, new, expected };
        (self.hook)(call, StoreMoment::Before)?;
        let outcome = self.inner.put(session, new, expected)?;
        (self.hook)(call, StoreMoment::After(Some(outcome)))?;
        Ok(outcome)
    }

    fn touch(
        &self,
        id: &SessionId,
        at: Timestamp,
        expires: Option<Timestamp>,
    ) -> Result<bool, StoreError> {
        self.around(StoreCall::Touch(id), || self.inner.touch(id, at, expires))
    }

    fn list(
        &self,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionSummary>, StoreError> {
        self.around(StoreCall::List, || self.inner.list(after, limit))
    }

    fn expire_before(&self, now: Timestamp) -> Result<Vec<RemovedSession>, StoreError> {
        self.around(StoreCall::ExpireBefore(now), || self.inner.expire_before(now))
    }

    fn expire_one(
        &self,
        id: &SessionId,
        now: Timestamp,
    ) -> Result<Vec<RemovedSession>, StoreError> {
        self.around(StoreCall::ExpireOne(id), || self.inner.expire_one(id, now))
    }

    fn evict(&self, most: usize, keep: &SessionId) -> Result<Vec<RemovedSession>, StoreError> {
        self.around(StoreCall::Evict, || self.inner.evict(most, keep))
    }

    fn delete(&self, id: &SessionId, expected: OperationId) -> Result<bool, StoreError> {
        self.around(StoreCall::Delete(id), || self.inner.delete(id, expected))
    }
}
