//! Reports of servers that their lists have changed.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Counts the reports of changes, and wakes the threads that wait for them.
#[derive(Default)]
pub(crate) struct Changes {
    counts: Mutex<Counts>,
    changed: Condvar,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    reports: u64,
    wakes: u64,
}

impl Changes {
    /// Counts a report.
    pub(crate) fn report(&self) {
        self.lock().reports += 1;
        self.wake();
    }

    /// Returns the number of reports so far.
    pub(crate) fn reports(&self) -> u64 {
        self.lock().reports
    }

    /// Wakes the threads that wait.
    pub(crate) fn wake(&self) {
        self.lock().wakes += 1;
        self.changed.notify_all();
    }

    /// Returns how often the threads were woken.
    pub(crate) fn wakes(&self) -> u64 {
        self.lock().wakes
    }

    /// Waits until the threads are woken more often than that, or the time is over.
    pub(crate) fn wait(&self, wakes: u64, time: Duration) {
        let counts = self.lock();
        drop(self.changed.wait_timeout_while(counts, time, |now| now.wakes == wakes));
    }

    /// Waits until the time is over, or `is_over` at a wake.
    pub(crate) fn rest(&self, time: Duration, is_over: impl Fn() -> bool) {
        let counts = self.lock();
        drop(self.changed.wait_timeout_while(counts, time, |_| !is_over()));
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
