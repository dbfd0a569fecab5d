//! Calls into a plugin, so many at once and each for so long.
//!
//! A call runs on a thread of the plugin's own, so that a caller can give it up. The thread of a
//! call that never returns is lost, and so is its place among the calls at once; when all are lost,
//! the plugin is stuck and no call begins.
//!
//! Waking a thread that sleeps takes many times as long as a short call. So both sides of a
//! hand-over look for the other one for some microseconds before they sleep, where a processor is
//! free: a series of calls wakes no thread, and a thread without work sleeps all the same.

#[cfg(test)]
mod tests;
mod worker;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use prowess_core::Cancel;

use worker::{Job, Worker};

use crate::conversation::{Answer, Closing, Mailbox};
use crate::sleeper::Sleeper;

/// How soon a caller that waits sees that it need not.
const LOOK: Duration = Duration::from_millis(20);

/// How long a caller waits.
pub(crate) struct Patience<'a> {
    /// For so long. Zero: for ever, on the caller's own thread.
    pub(crate) limit: Duration,
    /// Once it need not, for so long still.
    pub(crate) grace: Duration,
    /// Whether it need not.
    pub(crate) cancel: Option<&'a Cancel>,
    /// Each time that this number grows, the limit starts again.
    pub(crate) progress: Option<&'a AtomicU64>,
    /// The questions that it answers while it waits.
    pub(crate) questions: Option<Questions<'a>>,
}

/// The questions of a call, and who answers them.
#[derive(Clone, Copy)]
pub(crate) struct Questions<'a> {
    pub(crate) mailbox: &'a Mailbox,
    pub(crate) answers: &'a dyn Answer,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GaveUp {
    /// The plugin did not answer in time.
    Deadline,
    /// The caller lost interest.
    Cancelled,
    /// Too many calls were under way for too long.
    Busy,
    /// No call returns any more.
    Stuck,
}

/// The calls of one plugin. When it is dropped, idle threads end.
pub(crate) struct Calls(Arc<Places>);

/// The places for calls, and the threads that wait for one.
struct Places {
    at_once: usize,
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Default)]
struct State {
    /// The last that became idle is the first to be used: it may still be awake.
    idle: Vec<Arc<Worker>>,
    running: usize,
    lost: usize,
    is_closed: bool,
}

/// The state of a call, changed under the lock of the places.
mod fate {
    pub(super) const RUNNING: u8 = 0;
    pub(super) const DONE: u8 = 1;
    pub(super) const LOST: u8 = 2;
}

/// One call, as its caller and its thread see it.
struct Call<T> {
    answer: Mutex<Option<thread::Result<T>>>,
    fate: AtomicU8,
    caller: Arc<Sleeper>,
}

impl Drop for Calls {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.is_closed = true;
        let idle = std::mem::take(&mut state.idle);
        drop(state);
        idle.iter().for_each(|worker| worker.dismiss());
    }
}

impl Calls {
    pub(crate) fn new(at_once: usize) -> Self {
        let at_once = at_once.max(1);
        let state = Mutex::default();
        Self(Arc::new(Places { at_once, state, freed: Condvar::new() }))
    }

    /// How many calls were given up and have not returned.
    pub(crate) fn lost(&self) -> usize {
        self.0.lock().lost
    }

    /// Runs `work` and waits for it as `patience` says.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        patience: &Patience<'_>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, GaveUp> {
        if patience.limit.is_zero() {
            return Ok(work());
        }
        let until = Instant::now() + patience.limit;
        let idle = self.0.take_place(until)?;
        let questions = patience.questions;
        let _closing = questions.map(|questions| Closing(questions.mailbox));
        let caller = match questions {
            Some(questions) => Arc::clone(&questions.mailbox.caller),
            None => Arc::new(Sleeper::of_this_thread()),
        };
        let fate = AtomicU8::new(fate::RUNNING);
        let call = Arc::new(Call { answer: Mutex::default(), fate, caller });
        self.0.start(idle, job(&self.0, &call, work))?;
        match call.wait(patience, until) {
            Ok(Ok(done)) => Ok(done),
            // It is the host's own code that panicked: a plugin's panics are caught on its side.
            Ok(Err(payload)) => resume_unwind(payload),
            Err(gave_up) => {
                self.0.give_up(&call.fate);
                Err(gave_up)
            }
        }
    }
}

/// The work of a call with what belongs to its end.
fn job<T: Send + 'static>(
    places: &Arc<Places>,
    call: &Arc<Call<T>>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Job {
    let places = Arc::clone(places);
    let call = Arc::clone(call);
    Box::new(move |worker: &Arc<Worker>| {
        let done = catch_unwind(AssertUnwindSafe(work));
        // Before the answer is seen, so that its caller finds the place free.
        let goes_on = places.finish(&call.fate, worker);
        *lock(&call.answer) = Some(done);
        call.caller.wake();
        goes_on
    })
}

impl<T> Call<T> {
    fn wait(
        &self,
        patience: &Patience<'_>,
        mut until: Instant,
    ) -> Result<thread::Result<T>, GaveUp> {
        let mut seen = 0;
        let mut cancelled_at = None;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if self.caller.sleep(Some(left.min(LOOK))) {
                if let Some(answer) = lock(&self.answer).take() {
                    return Ok(answer);
                }
                if let Some(questions) = patience.questions {
                    questions.mailbox.serve(questions.answers);
                }
            }
            let now = Instant::now();
            let progress = patience.progress.map_or(0, |progress| progress.load(Ordering::Relaxed));
            if progress != seen {
                (seen, until) = (progress, now + patience.limit);
            }
            if patience.cancel.is_some_and(Cancel::is_cancelled) {
                let since = *cancelled_at.get_or_insert(now);
                if now.duration_since(since) >= patience.grace {
                    return Err(GaveUp::Cancelled);
                }
            }
            if now >= until {
                return Err(GaveUp::Deadline);
            }
        }
    }
}

impl Places {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Takes a place, and a thread that waits for work if there is one.
    fn take_place(&self, until: Instant) -> Result<Option<Arc<Worker>>, GaveUp> {
        let mut state = self.lock();
        while state.running >= self.at_once {
            if state.lost >= self.at_once {
                return Err(GaveUp::Stuck);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(GaveUp::Busy);
            }
            let waited = self.freed.wait_timeout(state, left);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        state.running += 1;
        Ok(state.idle.pop())
    }

    /// Gives the job to the thread that is idle, or to a new one.
    fn start(&self, idle: Option<Arc<Worker>>, job: Job) -> Result<(), GaveUp> {
        match idle {
            Some(worker) => worker.give(job),
            None => {
                let thread = thread::Builder::new().name("prowess-plugin".into());
                if thread.spawn(move || Worker::run(job)).is_err() {
                    self.lock().running -= 1;
                    return Err(GaveUp::Busy);
                }
            }
        }
        Ok(())
    }

    /// Frees the place of a call that has returned. Returns whether its thread waits for another
    /// one.
    fn finish(&self, fate: &AtomicU8, worker: &Arc<Worker>) -> bool {
        let mut state = self.lock();
        state.running -= 1;
        state.lost -= usize::from(fate.swap(fate::DONE, Ordering::AcqRel) == fate::LOST);
        let goes_on = !state.is_closed;
        if goes_on {
            state.idle.push(Arc::clone(worker));
        }
        drop(state);
        self.freed.notify_one();
        goes_on
    }

    fn give_up(&self, fate: &AtomicU8) {
        let mut state = self.lock();
        let running = fate::RUNNING;
        let lost = fate::LOST;
        if fate.compare_exchange(running, lost, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            state.lost += 1;
            // A caller that waits for a place may wait in vain now.
            self.freed.notify_all();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
