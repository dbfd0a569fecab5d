//! Runs the calls of a plugin on worker threads, with a limit on concurrency and a timeout.
//!
//! Each call runs on a worker thread, so that the caller can stop waiting for it. A call that never
//! returns keeps its thread and its slot. When every slot is lost in this way, the plugin is stuck
//! and no further call starts.
//!
//! Waking a parked thread takes many times as long as a short call. So both sides of a hand-over
//! spin for some microseconds before they park, if another processor is free: a series of calls
//! wakes no thread, and an idle thread still parks.

#[cfg(test)]
mod tests;
mod worker;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use prowess_core::Cancel;

use worker::{Job, Parker, Worker};

use crate::guard::lock;

/// How often a waiting caller checks for cancellation and progress.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// How long a caller waits for a call, and what it does meanwhile.
pub(crate) struct CallOptions<'a> {
    /// Time limit of the call. Zero means no limit, and the call runs on the caller's thread.
    pub(crate) timeout: Duration,
    /// Time that the call may still take after it was cancelled.
    pub(crate) grace: Duration,
    /// Cancels the call.
    pub(crate) cancel: Option<&'a Cancel>,
    /// Restarts the timeout each time that its value changes.
    pub(crate) progress: Option<&'a AtomicU64>,
}

/// The reason why a call returned no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallError {
    /// The call did not return within its timeout.
    Timeout,
    /// The call was cancelled and did not return within the grace period.
    Cancelled,
    /// No slot became free within the timeout.
    Busy,
    /// Every slot is taken by a call that never returned.
    Stuck,
}

/// The worker threads of one plugin. Dropping the pool ends its idle threads.
pub(crate) struct WorkerPool(Arc<Slots>);

/// The call slots of a pool, and its idle workers.
struct Slots {
    capacity: usize,
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Default)]
struct State {
    /// Idle workers, the most recently used last: it is the first to be reused, since it may still
    /// be spinning.
    idle: Vec<Arc<Worker>>,
    running: usize,
    abandoned: usize,
    /// Callers that wait for a slot: to notify none costs a system call, too.
    waiting: usize,
    is_closed: bool,
}

/// The state of a call, changed under the lock of the slots.
mod call_state {
    pub(super) const RUNNING: u8 = 0;
    pub(super) const DONE: u8 = 1;
    pub(super) const ABANDONED: u8 = 2;
}

/// One call, shared by its caller and its worker thread.
struct Call<T> {
    result: Mutex<Option<thread::Result<T>>>,
    state: AtomicU8,
    caller: Parker,
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.is_closed = true;
        let idle = std::mem::take(&mut state.idle);
        drop(state);
        idle.iter().for_each(|worker| worker.stop());
    }
}

impl WorkerPool {
    /// Creates a pool that runs at most `capacity` calls at the same time, and at least one.
    pub(crate) fn new(capacity: usize) -> Self {
        let capacity = capacity.max(1);
        Self(Arc::new(Slots { capacity, state: Mutex::default(), freed: Condvar::new() }))
    }

    /// Returns the number of calls that their callers abandoned and that are still running.
    pub(crate) fn abandoned(&self) -> usize {
        lock(&self.0.state).abandoned
    }

    /// Runs `work` on a worker thread and waits for its result.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        options: &CallOptions<'_>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, CallError> {
        if options.timeout.is_zero() {
            return Ok(work());
        }
        let deadline = Instant::now() + options.timeout;
        let idle = self.0.acquire(deadline)?;
        let state = AtomicU8::new(call_state::RUNNING);
        let caller = Parker::of_this_thread();
        let call = Arc::new(Call { result: Mutex::default(), state, caller });
        self.0.dispatch(idle, job(&self.0, &call, work))?;
        match call.wait(options, deadline) {
            Ok(Ok(result)) => Ok(result),
            // The panic is the host's: those of a plugin are caught on its side of the boundary.
            Ok(Err(payload)) => resume_unwind(payload),
            Err(error) => {
                self.0.abandon(&call.state);
                Err(error)
            }
        }
    }
}

/// Returns the job of a call: it runs `work`, releases the slot and wakes the caller.
fn job<T: Send + 'static>(
    slots: &Arc<Slots>,
    call: &Arc<Call<T>>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Job {
    let slots = Arc::clone(slots);
    let call = Arc::clone(call);
    Box::new(move |worker: &Arc<Worker>| {
        let result = catch_unwind(AssertUnwindSafe(work));
        // Before the result is stored, so that the slot is free when the caller returns.
        let continues = slots.release(&call.state, worker);
        *lock(&call.result) = Some(result);
        call.caller.wake();
        continues
    })
}

impl<T> Call<T> {
    fn wait(
        &self,
        options: &CallOptions<'_>,
        mut deadline: Instant,
    ) -> Result<thread::Result<T>, CallError> {
        let mut last_progress = 0;
        let mut cancelled_at = None;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if self.caller.park(Some(left.min(CHECK_INTERVAL)))
                && let Some(result) = lock(&self.result).take()
            {
                return Ok(result);
            }
            let now = Instant::now();
            let progress = options.progress.map_or(0, |progress| progress.load(Ordering::Relaxed));
            if progress != last_progress {
                last_progress = progress;
                deadline = now + options.timeout;
            }
            if options.cancel.is_some_and(Cancel::is_cancelled) {
                let since = *cancelled_at.get_or_insert(now);
                if now.duration_since(since) >= options.grace {
                    return Err(CallError::Cancelled);
                }
            }
            if now >= deadline {
                return Err(CallError::Timeout);
            }
        }
    }
}

impl Slots {
    /// Waits for a free slot and takes it. Returns an idle worker if there is one.
    fn acquire(&self, deadline: Instant) -> Result<Option<Arc<Worker>>, CallError> {
        let mut state = lock(&self.state);
        while state.running >= self.capacity {
            if state.abandoned >= self.capacity {
                return Err(CallError::Stuck);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(CallError::Busy);
            }
            state.waiting += 1;
            let waited = self.freed.wait_timeout(state, left);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        state.running += 1;
        Ok(state.idle.pop())
    }

    /// Assigns a job to the idle worker, or to a new one.
    fn dispatch(&self, idle: Option<Arc<Worker>>, job: Job) -> Result<(), CallError> {
        if let Some(worker) = idle {
            worker.assign(job);
            return Ok(());
        }
        let thread = thread::Builder::new().name("prowess-plugin".into());
        if thread.spawn(move || Worker::run(job)).is_err() {
            lock(&self.state).running -= 1;
            return Err(CallError::Busy);
        }
        Ok(())
    }

    /// Frees the slot of a call that has returned. Returns whether its worker waits for another
    /// job.
    fn release(&self, call: &AtomicU8, worker: &Arc<Worker>) -> bool {
        let mut state = lock(&self.state);
        state.running -= 1;
        let before = call.swap(call_state::DONE, Ordering::AcqRel);
        state.abandoned -= usize::from(before == call_state::ABANDONED);
        let continues = !state.is_closed;
        if continues {
            state.idle.push(Arc::clone(worker));
        }
        if state.waiting > 0 {
            self.freed.notify_one();
        }
        continues
    }

    /// Marks a call as abandoned, unless it has returned meanwhile.
    fn abandon(&self, call: &AtomicU8) {
        let mut state = lock(&self.state);
        let from = call_state::RUNNING;
        let to = call_state::ABANDONED;
        if call.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            state.abandoned += 1;
            // The pool may be stuck now, which ends the wait of other callers.
            self.freed.notify_all();
        }
    }
}
