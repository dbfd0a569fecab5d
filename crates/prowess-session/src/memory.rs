//! A session store in memory.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use dashmap::{DashMap, Entry};
use prowess_core::{
    ContentKey, OperationId, PutOutcome, RemovedSession, SessionId, SessionStore, SessionSummary,
    StoreError, StoredContent, StoredSession, Timestamp,
};

use contents::Contents;

mod contents;

/// Stores sessions in memory.
///
/// A session is found by the hash of its id. This does not hide which ids exist: an id gives no
/// right, so a host checks whose session it is.
///
/// Each session is locked only for the comparison and the swap, and sessions do not wait for each
/// other.
#[derive(Debug, Default)]
pub struct MemoryStore {
    sessions: DashMap<SessionId, StoredSession>,
    contents: Contents,
    /// The last uses of all sessions at some moment, the least recent last. Those that were used
    /// since are skipped, so that an eviction rarely has to look at every session.
    least_recent: Mutex<Vec<(Timestamp, SessionId)>>,
    /// The latest time in that list, in milliseconds. A session that is stored with an earlier one
    /// invalidates the list.
    latest_known: AtomicU64,
}

impl MemoryStore {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of sessions.
    pub fn len(&self) -> usize {
        self.sessions.len()
    }

    /// Returns whether there is no session.
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }

    /// Removes a session if `is_removed` accepts it.
    fn remove_if(
        &self,
        id: &SessionId,
        is_removed: impl Fn(&StoredSession) -> bool,
    ) -> Option<RemovedSession> {
        let (_, session) = self.sessions.remove_if(id, |_, stored| is_removed(stored))?;
        let texts = session.contents.iter().map(|key| self.contents.text(key)).collect();
        self.contents.release(&session.contents);
        Some(RemovedSession { session, texts })
    }

    /// Removes the least recently used session that is not `keep`, if there is one.
    fn remove_least_recent(
        &self,
        known: &mut Vec<(Timestamp, SessionId)>,
        keep: &SessionId,
    ) -> Option<RemovedSession> {
        let removed = self.remove_unused_since(known, keep);
        if removed.is_some() {
            return removed;
        }
        *known = self.by_last_use();
        self.remove_unused_since(known, keep)
    }

    /// Removes the last of `known` that was not used since, and drops those behind it.
    fn remove_unused_since(
        &self,
        known: &mut Vec<(Timestamp, SessionId)>,
        keep: &SessionId,
    ) -> Option<RemovedSession> {
        while let Some((touched, id)) = known.pop() {
            if id == *keep {
                continue;
            }
            let removed = self.remove_if(&id, |stored| stored.touched == touched);
            if removed.is_some() {
                return removed;
            }
        }
        None
    }

    fn by_last_use(&self) -> Vec<(Timestamp, SessionId)> {
        let sessions = self.sessions.iter();
        let mut known: Vec<_> =
            sessions.map(|session| (session.touched, session.id.clone())).collect();
        known.sort_unstable_by(|one, other| other.cmp(one));
        self.latest_known.store(known.first().map_or(0, |(at, _)| at.0), Ordering::SeqCst);
        known
    }

    /// Compares and swaps. The entry holds its shard's lock, so this is atomic.
    fn compare_and_swap(
        &self,
        session: &StoredSession,
        new: &[StoredContent],
        expected: Option<OperationId>,
    ) -> Result<PutOutcome, StoreError> {
        match self.sessions.entry(session.id.clone()) {
            Entry::Occupied(stored) if stored.get().operation == session.operation => {
                Ok(PutOutcome::AlreadyStored)
            }
            Entry::Occupied(mut stored) if Some(stored.get().operation) == expected => {
                self.contents.acquire(&session.contents, new)?;
                let mut next = session.clone();
                let before = stored.get();
                if before.touched > next.touched {
                    next.touched = before.touched;
                    next.expires = before.expires;
                }
                let before = stored.insert(next);
                self.contents.release(&before.contents);
                Ok(PutOutcome::Stored)
            }
            Entry::Vacant(free) if expected.is_none() => {
                self.contents.acquire(&session.contents, new)?;
                free.insert(session.clone());
                Ok(PutOutcome::Stored)
            }
            _ => Ok(PutOutcome::Conflict),
        }
    }
}

impl SessionStore for MemoryStore {
    fn load(&self, id: &SessionId) -> Result<Option<StoredSession>, StoreError> {
        Ok(self.sessions.get(id).map(|session| session.clone()))
    }

    fn contents(&self, keys: &[ContentKey]) -> Result<Vec<Option<Arc<str>>>, StoreError> {
        Ok(keys.iter().map(|key| self.contents.text(key)).collect())
    }

    fn put(
        &self,
        session: &StoredSession,
        new: &[StoredContent],
        expected: Option<OperationId>,
    ) -> Result<PutOutcome, StoreError> {
        let outcome = self.compare_and_swap(session, new, expected)?;
        let is_new = outcome == PutOutcome::Stored && expected.is_none();
        if is_new && session.touched.0 < self.latest_known.load(Ordering::SeqCst) {
            self.least_recent.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
        Ok(outcome)
    }

    fn touch(
        &self,
        id: &SessionId,
        at: Timestamp,
        expires: Option<Timestamp>,
    ) -> Result<bool, StoreError> {
        let Some(mut stored) = self.sessions.get_mut(id) else { return Ok(false) };
        if at >= stored.touched {
            stored.touched = at;
            stored.expires = expires;
        }
        Ok(true)
    }

    fn list(
        &self,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionSummary>, StoreError> {
        let sessions = self.sessions.iter();
        let later = sessions.filter(|session| after.is_none_or(|after| session.id > *after));
        let mut page: Vec<_> = later.map(|session| SessionSummary::from(&*session)).collect();
        page.sort_unstable_by(|one, other| one.id.cmp(&other.id));
        page.truncate(limit);
        Ok(page)
    }

    fn expire_before(&self, now: Timestamp) -> Result<Vec<RemovedSession>, StoreError> {
        let is_expired =
            |session: &StoredSession| session.expires.is_some_and(|expires| expires <= now);
        let sessions = self.sessions.iter().filter(|session| is_expired(session));
        let expired: Vec<_> = sessions.map(|session| session.id.clone()).collect();
        // A session may have been used since it was found.
        Ok(expired.iter().filter_map(|id| self.remove_if(id, is_expired)).collect())
    }

    fn evict(&self, most: usize, keep: &SessionId) -> Result<Vec<RemovedSession>, StoreError> {
        let mut evicted = Vec::new();
        if self.sessions.len() <= most {
            return Ok(evicted);
        }
        let mut known = self.least_recent.lock().unwrap_or_else(PoisonError::into_inner);
        while self.sessions.len() > most
            && let Some(removed) = self.remove_least_recent(&mut known, keep)
        {
            evicted.push(removed);
        }
        Ok(evicted)
    }

    fn delete(&self, id: &SessionId, expected: OperationId) -> Result<bool, StoreError> {
        Ok(self.remove_if(id, |stored| stored.operation == expected).is_some())
    }
}
