//! The thread that asks for new versions.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use prowess_core::{Cancel, ChangeListener, SourceChange};

use super::shared::Shared;

/// The time that the end of a watch waits for a request that is in progress. After that, the thread
/// ends without notifying anything as soon as the request does.
const GRACE: Duration = Duration::from_millis(500);

/// A thread that asks for new versions and reports changes until this is dropped.
pub(crate) struct PollThread {
    stop: Arc<Stop>,
    cancel: Cancel,
}

#[derive(Default)]
struct Stop {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    is_requested: bool,
    has_ended: bool,
}

impl PollThread {
    pub(crate) fn start(shared: &Arc<Shared>, listener: ChangeListener) -> io::Result<Self> {
        let stop = Arc::new(Stop::default());
        let of_thread = Arc::clone(&stop);
        let cancel = Cancel::default();
        let cancelled = cancel.clone();
        shared.thread_started();
        let counted = Counted(Arc::clone(shared));
        thread::Builder::new().name("prowess-remote".to_owned()).spawn(move || {
            run(&counted.0, &of_thread, &listener, &cancelled);
            drop((counted, listener));
            of_thread.lock().has_ended = true;
            of_thread.changed.notify_all();
        })?;
        Ok(Self { stop, cancel })
    }
}

/// Counts the thread as long as it exists, also if it panics or was not started.
struct Counted(Arc<Shared>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.thread_ended();
    }
}

fn run(shared: &Shared, stop: &Stop, listener: &ChangeListener, cancel: &Cancel) {
    // A scan may have asked just before.
    let mut is_due = shared.is_due();
    loop {
        let has_changed = is_due && shared.poll(cancel);
        is_due = true;
        let state = stop.lock();
        if state.is_requested {
            return;
        }
        // The listener is called under the lock, so never after the watch has ended.
        if has_changed {
            listener(SourceChange::Everything);
        }
        let waited = stop
            .changed
            .wait_timeout_while(state, shared.options.interval, |state| !state.is_requested);
        if waited.unwrap_or_else(PoisonError::into_inner).0.is_requested {
            return;
        }
    }
}

impl Stop {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PollThread {
    fn drop(&mut self) {
        self.cancel.cancel();
        let mut state = self.stop.lock();
        state.is_requested = true;
        self.stop.changed.notify_all();
        drop(self.stop.changed.wait_timeout_while(state, GRACE, |state| !state.has_ended));
    }
}
