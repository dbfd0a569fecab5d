//! The newest values by key.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// How many values are kept: conversations with different audiences have different catalogs.
const MOST_KEPT: usize = 8;

/// Keeps the newest values, so that each key costs one call of a plugin.
pub(crate) struct Recent<K, T>(Mutex<VecDeque<(K, T)>>);

impl<K, T> Default for Recent<K, T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: PartialEq, T: Clone> Recent<K, T> {
    /// Returns the value for a key. `make` makes one that is not known; its failure is not kept.
    pub(crate) fn get(&self, key: K, make: impl FnOnce() -> Option<T>) -> Option<T> {
        if let Some(known) = self.known(&key) {
            return Some(known);
        }
        let made = make()?;
        self.keep(key, made.clone());
        Some(made)
    }

    /// Keeps a value.
    pub(crate) fn keep(&self, key: K, value: T) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.truncate(MOST_KEPT - 1);
        kept.push_front((key, value));
    }

    /// Returns the value for a key, if it is kept.
    pub(crate) fn known(&self, key: &K) -> Option<T> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
    }
}
