//! A session store in memory.

use std::num::NonZeroUsize;

use dashmap::{DashMap, Entry};
use prowess_core::{SessionId, SessionState, SessionStore, StoreError, Timestamp};

/// Stores sessions in memory, by default without a limit on their number.
///
/// Each session is locked only for the comparison and the swap, and sessions do not wait for each
/// other.
#[derive(Debug, Default)]
pub struct MemoryStore {
    states: DashMap<SessionId, SessionState>,
    most: Option<NonZeroUsize>,
}

impl MemoryStore {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty store with at most this many sessions: a further one evicts the least
    /// recently used.
    pub fn bounded(most: NonZeroUsize) -> Self {
        Self { most: Some(most), ..Self::default() }
    }

    /// Returns the number of sessions.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns whether there is no session.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    fn make_room(&self, newest: &SessionId) {
        let Some(most) = self.most else { return };
        while self.states.len() > most.get() {
            let others = self.states.iter().filter(|entry| entry.key() != newest);
            let least_recent = others.map(|entry| (entry.touched, entry.key().clone())).min();
            let Some((_, least_recent)) = least_recent else {
                return;
            };
            self.states.remove(&least_recent);
        }
    }
}

impl SessionStore for MemoryStore {
    fn load(&self, id: &SessionId) -> Result<Option<SessionState>, StoreError> {
        Ok(self.states.get(id).map(|state| state.clone()))
    }

    fn put(&self, state: SessionState, expected: Option<u64>) -> Result<bool, StoreError> {
        let id = state.id.clone();
        // The entry holds its shard's lock, so the comparison and the swap are atomic.
        let is_new = match (self.states.entry(id.clone()), expected) {
            (Entry::Occupied(mut stored), Some(version)) if stored.get().version == version => {
                stored.insert(state);
                false
            }
            (Entry::Vacant(free), None) => {
                free.insert(state);
                true
            }
            _ => return Ok(false),
        };
        if is_new {
            self.make_room(&id);
        }
        Ok(true)
    }

    fn touch(&self, id: &SessionId, at: Timestamp) -> Result<bool, StoreError> {
        let stored = self.states.get_mut(id);
        Ok(stored.map(|mut state| state.touched = state.touched.max(at)).is_some())
    }

    fn delete(&self, id: &SessionId) -> Result<bool, StoreError> {
        Ok(self.states.remove(id).is_some())
    }
}
