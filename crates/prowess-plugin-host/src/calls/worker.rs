//! A thread that takes one job after the other.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::sleeper::Sleeper;

/// The work of one call. Returns whether its thread is to wait for another one.
pub(super) type Job = Box<dyn FnOnce(&Arc<Worker>) -> bool + Send>;

/// A thread that waits for jobs.
pub(super) struct Worker {
    sleeper: Sleeper,
    /// Empty for a worker that is woken to end.
    job: Mutex<Option<Job>>,
}

impl Worker {
    /// Does this job and those that come after it, on the thread that calls this.
    pub(super) fn run(first: Job) {
        let sleeper = Sleeper::of_this_thread();
        let worker = Arc::new(Self { sleeper, job: Mutex::new(Some(first)) });
        while let Some(job) = worker.take() {
            if !job(&worker) {
                return;
            }
            worker.sleeper.sleep(None);
        }
    }

    /// Gives a worker that is idle its next job.
    pub(super) fn give(&self, job: Job) {
        *lock(&self.job) = Some(job);
        self.sleeper.wake();
    }

    /// Ends a worker that is idle.
    pub(super) fn dismiss(&self) {
        self.sleeper.wake();
    }

    fn take(&self) -> Option<Job> {
        lock(&self.job).take()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
