//! Calls at the same time: a call that finds no free slot waits for one.

use std::sync::{Condvar, Mutex, PoisonError};

use prowess_core::{Cancel, SourceError};

use super::broken::{busy, cancelled};
use super::inbox::CHECK_INTERVAL;
use super::locked;

/// The slots for calls of one plugin.
pub(super) struct CallSlots {
    most: usize,
    taken: Mutex<usize>,
    freed: Condvar,
}

impl CallSlots {
    pub(super) fn new(most: usize) -> Self {
        Self { most: most.max(1), taken: Mutex::new(0), freed: Condvar::new() }
    }

    /// Waits for a slot until `is_over`, unless the call is no longer wanted. A tool whose call
    /// reads a skill of the same plugin needs two.
    pub(super) fn take(
        &self,
        cancel: &Cancel,
        is_over: impl Fn() -> bool,
    ) -> Result<CallSlot<'_>, SourceError> {
        let mut taken = locked(&self.taken);
        loop {
            if cancel.is_cancelled() {
                return Err(cancelled());
            }
            if *taken < self.most {
                break;
            }
            if is_over() {
                return Err(busy());
            }
            let waited = self.freed.wait_timeout(taken, CHECK_INTERVAL);
            taken = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *taken += 1;
        Ok(CallSlot(self))
    }
}

/// A slot for a call, freed when it is dropped.
pub(super) struct CallSlot<'a>(&'a CallSlots);

impl Drop for CallSlot<'_> {
    fn drop(&mut self) {
        *locked(&self.0.taken) -= 1;
        self.0.freed.notify_one();
    }
}
