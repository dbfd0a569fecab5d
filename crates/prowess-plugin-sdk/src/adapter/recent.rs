//! A cache of the most recent values.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// The capacity of the cache: conversations have different audiences and states.
const CAPACITY: usize = 4;

/// Caches the most recent values, so that a series of calls requests each value once.
pub(super) struct Recent<K, T>(Mutex<VecDeque<(K, T)>>);

impl<K, T> Default for Recent<K, T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: PartialEq, T: Clone> Recent<K, T> {
    /// Returns the value for a key. If it is not cached, `request` creates it.
    pub(super) fn get_or_insert_with<E>(
        &self,
        key: K,
        request: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if let Some(cached) = self.get(&key) {
            return Ok(cached);
        }
        let value = request()?;
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.truncate(CAPACITY - 1);
        entries.push_front((key, value.clone()));
        Ok(value)
    }

    fn get(&self, key: &K) -> Option<T> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.iter().find(|(cached, _)| cached == key).map(|(_, value)| value.clone())
    }
}
