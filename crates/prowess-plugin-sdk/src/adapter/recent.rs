//! The newest values by number.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// How many values are kept: conversations have different audiences and different states.
const MOST_KEPT: usize = 4;

/// Keeps the newest values, so that a series of calls asks the host for each once.
pub(super) struct Recent<T>(Mutex<VecDeque<(u64, T)>>);

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Recent<T> {
    /// Returns the value with a number. `ask` requests one that is not kept.
    pub(super) fn get<E>(&self, number: u64, ask: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        if let Some(known) = self.known(number) {
            return Ok(known);
        }
        let value = ask()?;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.truncate(MOST_KEPT - 1);
        kept.push_front((number, value.clone()));
        Ok(value)
    }

    fn known(&self, number: u64) -> Option<T> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(known, _)| *known == number).map(|(_, value)| value.clone())
    }
}
