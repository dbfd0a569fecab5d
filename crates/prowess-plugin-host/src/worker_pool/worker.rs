//! A worker thread.

use std::sync::{Arc, Mutex};

use crate::lock::lock;
use crate::parker::Parker;

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
