//! Calls into a plugin, so many at once and each for so long.
//!
//! A call runs on a thread of the plugin's own, so that a caller can give it up. The thread of a call that
//! never returns is lost, and so is its place among the calls at once; when all are lost, the plugin is
//! stuck and no call begins.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use prowess_core::Cancel;

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
    /// As long as this number grows, the limit begins anew.
    pub(crate) progress: Option<&'a AtomicU64>,
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

type Job = Box<dyn FnOnce() + Send>;

/// The calls of one plugin. When it is dropped, idle threads end.
pub(crate) struct Calls(Arc<Inner>);

struct Inner {
    at_once: usize,
    state: Mutex<State>,
    queued: Condvar,
    freed: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    idle: usize,
    running: usize,
    lost: usize,
    is_closed: bool,
}

/// What has become of a call, told under the lock of the state.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Running,
    Done,
    Lost,
}

impl Drop for Calls {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.queued.notify_all();
    }
}

impl Calls {
    pub(crate) fn new(at_once: usize) -> Self {
        Self(Arc::new(Inner {
            at_once: at_once.max(1),
            state: Mutex::default(),
            queued: Condvar::new(),
            freed: Condvar::new(),
        }))
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
        self.0.take_place(until)?;
        let (sender, answer) = mpsc::sync_channel(1);
        let fate = Arc::new(Mutex::new(Fate::Running));
        let inner = Arc::clone(&self.0);
        let own = Arc::clone(&fate);
        self.0.start(Box::new(move || {
            let done = catch_unwind(AssertUnwindSafe(work));
            // Before the answer is seen, so that who has it finds the place free.
            inner.finish(&own);
            // Nobody may be waiting any more.
            let _ = sender.send(done);
        }));
        match wait(&answer, patience, until) {
            Ok(Ok(done)) => Ok(done),
            // It is the host's own code that panicked: a plugin's panics are caught on its side.
            Ok(Err(payload)) => resume_unwind(payload),
            Err(gave_up) => {
                self.0.give_up(&fate);
                Err(gave_up)
            }
        }
    }
}

fn wait<T>(answer: &Receiver<T>, patience: &Patience<'_>, mut until: Instant) -> Result<T, GaveUp> {
    let mut seen = 0;
    let mut cancelled_at = None;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match answer.recv_timeout(left.min(LOOK)) {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Disconnected) => return Err(GaveUp::Busy),
            Err(RecvTimeoutError::Timeout) => {}
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

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_place(&self, until: Instant) -> Result<(), GaveUp> {
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
        Ok(())
    }

    fn start(self: &Arc<Self>, job: Job) {
        let mut state = self.lock();
        state.jobs.push_back(job);
        if state.idle >= state.jobs.len() {
            self.queued.notify_one();
            return;
        }
        drop(state);
        let inner = Arc::clone(self);
        let started =
            thread::Builder::new().name("prowess-plugin".into()).spawn(move || inner.serve());
        if started.is_err() {
            // The job is dropped with its channel, which ends the caller's waiting.
            let mut state = self.lock();
            if state.jobs.pop_back().is_some() {
                state.running -= 1;
            }
        }
    }

    fn serve(&self) {
        let mut state = self.lock();
        while !state.is_closed {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                job();
                state = self.lock();
            } else {
                state.idle += 1;
                state = self.queued.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
            }
        }
    }

    fn finish(&self, fate: &Mutex<Fate>) {
        let mut state = self.lock();
        let mut fate = fate.lock().unwrap_or_else(PoisonError::into_inner);
        state.running -= 1;
        state.lost -= usize::from(*fate == Fate::Lost);
        *fate = Fate::Done;
        self.freed.notify_one();
    }

    fn give_up(&self, fate: &Mutex<Fate>) {
        let mut state = self.lock();
        let mut fate = fate.lock().unwrap_or_else(PoisonError::into_inner);
        if *fate == Fate::Running {
            *fate = Fate::Lost;
            state.lost += 1;
            // Who waits for a place may wait in vain now.
            self.freed.notify_all();
        }
    }
}
