//! Single-flight execution: one run at a time, shared by concurrent requests.

use std::time::Duration;

use prowess_core::Cancel;

use crate::sync::{Condvar, Mutex, MutexGuard, lock, wait, wait_for};

/// The interval at which a waiting caller checks for cancellation.
const CANCEL_CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// A request that can be merged with another one.
pub(crate) trait Merge {
    /// Adds `more` to the request.
    fn merge(&mut self, more: Self);
}

/// Runs requests one at a time and shares the runs between callers.
///
/// A run in progress may already have passed the part that a new request needs, so the request
/// waits for the next run, together with all other requests that arrive meanwhile.
pub(crate) struct SingleFlight<W, T> {
    state: Mutex<State<W, T>>,
    ended: Condvar,
}

struct State<W, T> {
    /// The merged requests of the next run.
    pending: Option<W>,
    is_running: bool,
    /// The number of started runs.
    started: u64,
    /// The number of the last run that has completed. It includes the requests of runs before it
    /// that did not complete.
    ended: u64,
    /// The result of that run.
    last: Option<T>,
}

pub(crate) struct Run<T> {
    pub(crate) result: T,
    /// Whether it completed. The result of a cancelled run is not shared.
    pub(crate) is_complete: bool,
}

impl<W: Merge + Clone, T: Clone> SingleFlight<W, T> {
    pub(crate) fn new() -> Self {
        let state = State { pending: None, is_running: false, started: 0, ended: 0, last: None };
        Self { state: Mutex::new(state), ended: Condvar::new() }
    }

    /// Returns the result of a complete run that started after this call, on this or another
    /// thread. Returns `None` if `cancel` was set while waiting for another thread; the request
    /// stays pending.
    pub(crate) fn request(
        &self,
        work: W,
        cancel: Option<&Cancel>,
        run: impl FnOnce(W) -> Run<T>,
    ) -> Option<T> {
        let mut state = lock(&self.state);
        state.want(work);
        let own = state.started + 1;
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

    /// Returns whether a run is in progress.
    pub(crate) fn is_running(&self) -> bool {
        lock(&self.state).is_running
    }

    #[cfg(all(test, loom))]
    pub(crate) fn pending(&self) -> Option<W> {
        lock(&self.state).pending.clone()
    }

    fn run(&self, work: W, run: impl FnOnce(W) -> Run<T>) -> T {
        // If the run panics or is cancelled, this restores the request for the callers that wait
        // for it.
        let mut running = Running { flight: self, work: Some(work.clone()), result: None };
        let Run { result, is_complete } = run(work);
        if is_complete {
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
            Some(_) => Some(wait_for(&self.ended, state, CANCEL_CHECK_INTERVAL)),
        }
    }
}

impl<W: Merge, T> State<W, T> {
    fn want(&mut self, work: W) {
        match &mut self.pending {
            Some(pending) => pending.merge(work),
            None => self.pending = Some(work),
        }
    }

    fn begin(&mut self) -> W {
        self.is_running = true;
        self.started += 1;
        self.pending.take().expect("a request is pending until its run starts")
    }
}

/// A run in progress; dropping it ends it.
struct Running<'a, W: Merge, T> {
    flight: &'a SingleFlight<W, T>,
    /// The request, until it is done.
    work: Option<W>,
    result: Option<T>,
}

impl<W: Merge, T> Drop for Running<'_, W, T> {
    fn drop(&mut self) {
        let mut state = lock(&self.flight.state);
        state.is_running = false;
        match self.work.take() {
            Some(work) => state.want(work),
            None => {
                state.ended = state.started;
                state.last = self.result.take();
            }
        }
        drop(state);
        self.flight.ended.notify_all();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::thread;

    use super::*;

    impl Merge for Vec<u32> {
        fn merge(&mut self, more: Self) {
            self.extend(more);
        }
    }

    #[test]
    fn interrupted_run_is_done_once_for_all_who_wait() {
        let flight = SingleFlight::<Vec<u32>, Vec<u32>>::new();
        let done = |mut work: Vec<u32>| {
            work.sort_unstable();
            Run { result: work, is_complete: true }
        };
        thread::scope(|scope| {
            let mut waiting = Vec::new();
            let interrupted = flight.request(vec![0], None, |work| {
                for number in [1, 2] {
                    let flight = &flight;
                    waiting.push(scope.spawn(move || flight.request(vec![number], None, done)));
                }
                let is_pending = || {
                    let state = lock(&flight.state);
                    state.pending.as_ref().is_some_and(|pending| pending.len() == 2)
                };
                while !is_pending() {
                    thread::yield_now();
                }
                Run { result: work, is_complete: false }
            });
            assert_eq!(interrupted, Some(vec![0]), "the caller gets its own result");
            for waiting in waiting {
                let result = waiting.join().expect("the request does not panic");
                assert_eq!(result, Some(vec![0, 1, 2]), "one run does the work of all");
            }
        });
    }
}
