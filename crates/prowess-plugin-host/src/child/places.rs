//! Calls at once: a call that finds no place waits for one.

use std::sync::{Condvar, Mutex, PoisonError};

use prowess_core::{Cancel, SourceError};

use super::broken::cancelled;
use super::locked;
use super::supervisor::LOOK;

/// The places for calls of one plugin.
pub(super) struct Places {
    most: usize,
    taken: Mutex<usize>,
    freed: Condvar,
}

impl Places {
    pub(super) fn new(most: usize) -> Self {
        Self { most: most.max(1), taken: Mutex::new(0), freed: Condvar::new() }
    }

    /// Waits for a place, unless the call is no longer wanted.
    pub(super) fn take(&self, cancel: &Cancel) -> Result<Place<'_>, SourceError> {
        let mut taken = locked(&self.taken);
        loop {
            if cancel.is_cancelled() {
                return Err(cancelled());
            }
            if *taken < self.most {
                break;
            }
            let waited = self.freed.wait_timeout(taken, LOOK);
            taken = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *taken += 1;
        Ok(Place(self))
    }
}

/// A place for a call, given back when it is dropped.
pub(super) struct Place<'a>(&'a Places);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        *locked(&self.0.taken) -= 1;
        self.0.freed.notify_one();
    }
}
