//! A worker thread, and how it waits.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use crate::guard::lock;
use crate::spin::Spin;

/// The work of one call. Returns whether the worker waits for another job.
pub(super) type Job = Box<dyn FnOnce(&Arc<Worker>) -> bool + Send>;

/// A thread that runs one job after the other.
pub(super) struct Worker {
    parker: Parker,
    /// The next job; `None` when the worker is woken to stop.
    job: Mutex<Option<Job>>,
}

impl Worker {
    /// Runs this job and those that are assigned later, on the current thread.
    pub(super) fn run(first: Job) {
        let parker = Parker::of_this_thread();
        let worker = Arc::new(Self { parker, job: Mutex::new(Some(first)) });
        while let Some(job) = worker.take() {
            if !job(&worker) {
                return;
            }
            worker.parker.park(None);
        }
    }

    /// Assigns the next job to an idle worker.
    pub(super) fn assign(&self, job: Job) {
        *lock(&self.job) = Some(job);
        self.parker.wake();
    }

    /// Ends an idle worker.
    pub(super) fn stop(&self) {
        self.parker.wake();
    }

    fn take(&self) -> Option<Job> {
        lock(&self.job).take()
    }
}

/// The spin before a thread is parked.
static SPIN: Spin = Spin::new(64);

/// Parks one thread. It spins for some microseconds first.
pub(super) struct Parker {
    thread: Thread,
    is_woken: AtomicBool,
    is_parked: AtomicBool,
}

impl Parker {
    /// Creates the parker of the current thread.
    pub(super) fn of_this_thread() -> Self {
        Self {
            thread: thread::current(),
            is_woken: AtomicBool::new(false),
            is_parked: AtomicBool::new(false),
        }
    }

    /// Wakes the thread. If it is not parked, its next [`Self::park`] returns at once.
    pub(super) fn wake(&self) {
        self.is_woken.store(true, Ordering::SeqCst);
        if self.is_parked.load(Ordering::SeqCst) {
            self.thread.unpark();
        }
    }

    /// Parks the thread until it is woken or `timeout` is over. Returns whether it was woken.
    pub(super) fn park(&self, timeout: Option<Duration>) -> bool {
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
