//! A cache of the most recent values.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// The capacity of the cache: conversations have different audiences and states.
const CAPACITY: usize = 4;

/// Caches the most recent values, so that a series of calls requests each value once.
pub(super) struct Recent<T>(Mutex<VecDeque<(u64, T)>>);

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Recent<T> {
    /// Returns the value with a number. If it is not cached, `request` requests it from the host.
    pub(super) fn get_or_insert_with<E>(
        &self,
        number: u64,
        request: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if let Some(cached) = self.get(number) {
            return Ok(cached);
        }
        let value = request()?;
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.truncate(CAPACITY - 1);
        entries.push_front((number, value.clone()));
        Ok(value)
    }

    fn get(&self, number: u64) -> Option<T> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.iter().find(|(cached, _)| *cached == number).map(|(_, value)| value.clone())
    }
}
