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
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, cached)) = entries.iter().find(|(cached, _)| *cached == key) {
            return Ok(cached.clone());
        }
        drop(entries);
        let value = request()?;
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.truncate(CAPACITY - 1);
        entries.push_front((key, value.clone()));
        Ok(value)
    }
}
