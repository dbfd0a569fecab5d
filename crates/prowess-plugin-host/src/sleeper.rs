//! How two threads wait for each other.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use crate::spin::Spin;

/// How a thread looks for the other one before it sleeps.
static SPIN: Spin = Spin::new(64);

/// A thread that waits to be woken once, and looks for that before it sleeps.
pub(crate) struct Sleeper {
    thread: Thread,
    is_woken: AtomicBool,
    is_asleep: AtomicBool,
}

impl Sleeper {
    pub(crate) fn of_this_thread() -> Self {
        Self {
            thread: thread::current(),
            is_woken: AtomicBool::new(false),
            is_asleep: AtomicBool::new(false),
        }
    }

    /// Wakes the thread, or lets it see that it need not sleep.
    pub(crate) fn wake(&self) {
        self.is_woken.store(true, Ordering::SeqCst);
        if self.is_asleep.load(Ordering::SeqCst) {
            self.thread.unpark();
        }
    }

    /// Waits to be woken, at most for so long. Returns whether it was.
    pub(crate) fn sleep(&self, most: Option<Duration>) -> bool {
        if self.looks_for_a_while() {
            return self.is_woken.swap(false, Ordering::SeqCst);
        }
        let until = most.map(|most| Instant::now() + most);
        self.is_asleep.store(true, Ordering::SeqCst);
        // A thread that sets the flag after this look sees that this one is asleep.
        while !self.is_woken.load(Ordering::SeqCst) {
            match until.map(|until| until.saturating_duration_since(Instant::now())) {
                None => thread::park(),
                Some(Duration::ZERO) => break,
                Some(left) => thread::park_timeout(left),
            }
        }
        self.is_asleep.store(false, Ordering::SeqCst);
        self.is_woken.swap(false, Ordering::SeqCst)
    }

    /// Looks for some microseconds whether the thread need not sleep.
    fn looks_for_a_while(&self) -> bool {
        SPIN.until(|| self.is_woken.load(Ordering::Acquire))
    }
}
