//! Limits the number of concurrent calls.

use std::sync::{Condvar, Mutex, PoisonError};

use prowess_core::{Cancel, SourceError};

use super::error::{busy, cancelled};
use super::inbox::CHECK_INTERVAL;
use crate::guard::lock;

/// The call slots of one plugin.
pub(super) struct CallSlots {
    capacity: usize,
    taken: Mutex<usize>,
    freed: Condvar,
}

impl CallSlots {
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity: capacity.max(1), taken: Mutex::new(0), freed: Condvar::new() }
    }

    /// Waits for a free slot until `is_over` returns `true` or the call is cancelled. A tool whose
    /// call reads a skill of the same plugin takes two slots.
    pub(super) fn take(
        &self,
        cancel: &Cancel,
        is_over: impl Fn() -> bool,
    ) -> Result<CallSlot<'_>, SourceError> {
        let mut taken = lock(&self.taken);
        loop {
            if cancel.is_cancelled() {
                return Err(cancelled());
            }
            if *taken < self.capacity {
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

/// A call slot. Dropping it frees the slot.
pub(super) struct CallSlot<'a>(&'a CallSlots);

impl Drop for CallSlot<'_> {
    fn drop(&mut self) {
        let mut taken = lock(&self.0.taken);
        // Calls only wait while no slot is free, and to notify none costs a system call, too.
        if *taken == self.0.capacity {
            self.0.freed.notify_all();
        }
        *taken -= 1;
    }
}
