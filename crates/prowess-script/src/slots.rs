//! The number of scripts that run at the same time.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use prowess_core::Cancel;

/// How often a waiting call looks whether it was cancelled.
const CHECK: Duration = Duration::from_millis(20);

/// Free places for scripts.
pub(crate) struct Slots {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A place that is in use, until this is dropped.
pub(crate) struct Slot<'a>(&'a Slots);

impl Slots {
    /// Creates `most` free places, and at least one.
    pub(crate) fn new(most: usize) -> Self {
        Self { free: Mutex::new(most.max(1)), freed: Condvar::new() }
    }

    /// Waits for a place. Returns `None` at the deadline and after `cancel`.
    pub(crate) fn take(&self, deadline: Instant, cancel: &Cancel) -> Option<Slot<'_>> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || cancel.is_cancelled() {
                return None;
            }
            let waited = self.freed.wait_timeout(free, left.min(CHECK));
            (free, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        Some(Slot(self))
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}
