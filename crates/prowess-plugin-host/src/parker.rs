//! Parks a thread until another one wakes it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use crate::spin::Spin;

/// The spin before a thread is parked.
static SPIN: Spin = Spin::new(64);

/// Parks one thread. It spins for some microseconds first.
pub(crate) struct Parker {
    thread: Thread,
    is_woken: AtomicBool,
    is_parked: AtomicBool,
}

impl Parker {
    /// Creates the parker of the current thread.
    pub(crate) fn of_this_thread() -> Self {
        Self {
            thread: thread::current(),
            is_woken: AtomicBool::new(false),
            is_parked: AtomicBool::new(false),
        }
    }

    /// Wakes the thread. If it is not parked, its next [`Self::park`] returns at once.
    pub(crate) fn wake(&self) {
        self.is_woken.store(true, Ordering::SeqCst);
        if self.is_parked.load(Ordering::SeqCst) {
            self.thread.unpark();
        }
    }

    /// Parks the thread until it is woken or `timeout` is over. Returns whether it was woken.
    pub(crate) fn park(&self, timeout: Option<Duration>) -> bool {
        if self.is_woken_while_spinning() {
            return self.is_woken.swap(false, Ordering::SeqCst);
        }
        let deadline = timeout.map(|timeout| Instant::now() + timeout);
        self.is_parked.store(true, Ordering::SeqCst);
        // A thread that sets `is_woken` after this check sees `is_parked` and unparks the thread.
        while !self.is_woken.load(Ordering::SeqCst) {
            match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
                None => thread::park(),
                Some(Duration::ZERO) => break,
                Some(left) => thread::park_timeout(left),
            }
        }
        self.is_parked.store(false, Ordering::SeqCst);
        self.is_woken.swap(false, Ordering::SeqCst)
    }

    fn is_woken_while_spinning(&self) -> bool {
        SPIN.until(|| self.is_woken.load(Ordering::Acquire))
    }
}
