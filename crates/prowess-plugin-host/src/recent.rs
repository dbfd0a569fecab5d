//! A cache of the most recent values.

use std::collections::VecDeque;
use std::sync::Mutex;

use crate::guard::lock;

/// The capacity of the cache: conversations with different audiences have different catalogs.
const CAPACITY: usize = 8;

/// Caches the most recent values, so that each key costs one call of a plugin.
pub(crate) struct Recent<K, T>(Mutex<VecDeque<(K, T)>>);

impl<K, T> Default for Recent<K, T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: PartialEq, T: Clone> Recent<K, T> {
    /// Returns the value for a key. If it is not cached, `compute` creates it; `None` is not
    /// cached.
    pub(crate) fn get_or_insert_with(
        &self,
        key: K,
        compute: impl FnOnce(&K) -> Option<T>,
    ) -> Option<T> {
        if let Some(cached) = self.get(&key) {
            return Some(cached);
        }
        let value = compute(&key)?;
        self.insert(key, value.clone());
        Some(value)
    }

    /// Inserts a value and evicts the oldest one if the cache is full.
    pub(crate) fn insert(&self, key: K, value: T) {
        let mut entries = lock(&self.0);
        entries.truncate(CAPACITY - 1);
        entries.push_front((key, value));
    }

    /// Returns the value for a key, if it is cached.
    pub(crate) fn get(&self, key: &K) -> Option<T> {
        let entries = lock(&self.0);
        entries.iter().find(|(cached, _)| cached == key).map(|(_, value)| value.clone())
    }
}
