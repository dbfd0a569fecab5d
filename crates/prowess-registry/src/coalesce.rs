//! One run at a time, whoever asks and however many.

use std::time::Duration;

use prowess_core::Cancel;

use crate::sync::{Condvar, Mutex, MutexGuard, lock, wait, wait_for};

/// How often one who waits for another's run looks whether its own request was cancelled.
const LOOK_FOR_CANCEL: Duration = Duration::from_millis(20);

/// What is asked for; two requests can be one.
pub(crate) trait Merge {
    /// Asks for `more` too.
    fn merge(&mut self, more: Self);
}

/// Runs requests one at a time and shares the runs.
///
/// A request that comes while a run is under way may have missed its beginning, so it waits for the
/// next one, together with every other request that came meanwhile.
pub(crate) struct Coalescer<W, T> {
    state: Mutex<State<W, T>>,
    ended: Condvar,
}

struct State<W, T> {
    /// What is asked for and no run has begun on.
    wanted: Option<W>,
    is_running: bool,
    /// How many runs have begun, without those that were cut short.
    begun: u64,
    /// How many of them have ended.
    ended: u64,
    /// What the last of them gave.
    last: Option<T>,
}

/// What a run gave.
pub(crate) struct Run<T> {
    /// What its request is answered with.
    pub(crate) result: T,
    /// Whether it did all that it was asked. One that was cut short answers nobody else.
    pub(crate) is_whole: bool,
}

impl<W: Merge + Clone, T: Clone> Coalescer<W, T> {
    pub(crate) fn new() -> Self {
        let state = State { wanted: None, is_running: false, begun: 0, ended: 0, last: None };
        Self { state: Mutex::new(state), ended: Condvar::new() }
    }

    /// The result of a run that began after this call and did the work: `run` on this thread, or
    /// another's. `None` if `cancel` was set while waiting for another's; its work stays wanted.
    pub(crate) fn request(
        &self,
        work: W,
        cancel: Option<&Cancel>,
        run: impl FnOnce(W) -> Run<T>,
    ) -> Option<T> {
        let mut state = lock(&self.state);
        state.want(work);
        let own = state.begun + 1;
        loop {
            if state.ended >= own {
                return state.last.clone();
            }
            if !state.is_running {
                let work = state.begin();
                drop(state);
                return Some(self.run(work, run));
            }
            state = self.wait_for_end(state, cancel)?;
        }
    }

    /// Whether a run is under way.
    pub(crate) fn is_running(&self) -> bool {
        lock(&self.state).is_running
    }

    /// What is asked for and not begun on.
    #[cfg(all(test, loom))]
    pub(crate) fn wanted(&self) -> Option<W> {
        lock(&self.state).wanted.clone()
    }

    fn run(&self, work: W, run: impl FnOnce(W) -> Run<T>) -> T {
        // Where the run panics or is cut short, this puts the work back for whoever waits for it.
        let mut running = Running { coalescer: self, work: Some(work.clone()), result: None };
        let Run { result, is_whole } = run(work);
        if is_whole {
            running.work = None;
            running.result = Some(result.clone());
        }
        result
    }

    fn wait_for_end<'a>(
        &self,
        state: MutexGuard<'a, State<W, T>>,
        cancel: Option<&Cancel>,
    ) -> Option<MutexGuard<'a, State<W, T>>> {
        match cancel {
            None => Some(wait(&self.ended, state)),
            Some(cancel) if cancel.is_cancelled() => None,
            Some(_) => Some(wait_for(&self.ended, state, LOOK_FOR_CANCEL)),
        }
    }
}

impl<W: Merge, T> State<W, T> {
    fn want(&mut self, work: W) {
        match &mut self.wanted {
            Some(wanted) => wanted.merge(work),
            None => self.wanted = Some(work),
        }
    }

    fn begin(&mut self) -> W {
        self.is_running = true;
        self.begun += 1;
        self.wanted.take().expect("a request whose run has not begun is still wanted")
    }
}

/// A run that is under way; dropping it ends it.
struct Running<'a, W: Merge, T> {
    coalescer: &'a Coalescer<W, T>,
    /// What is still to be done.
    work: Option<W>,
    result: Option<T>,
}

impl<W: Merge, T> Drop for Running<'_, W, T> {
    fn drop(&mut self) {
        let mut state = lock(&self.coalescer.state);
        state.is_running = false;
        match self.work.take() {
            Some(work) => {
                state.begun -= 1;
                state.want(work);
            }
            None => {
                state.ended = state.begun;
                state.last = self.result.take();
            }
        }
        drop(state);
        self.coalescer.ended.notify_all();
    }
}
