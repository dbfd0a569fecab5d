//! Group commit: one sync for all waiting threads.

#[cfg(all(test, loom))]
mod loom_tests;

use std::io;
use std::sync::PoisonError;

// Under `--cfg loom`, the locks of the model checker, so that it checks the code that runs.
#[cfg(loom)]
use loom::sync::{Condvar, Mutex, MutexGuard};
#[cfg(not(loom))]
use std::sync::{Condvar, Mutex, MutexGuard};

/// Syncs a file for several threads at once: one thread syncs while the others wait, and then one
/// of those syncs for all that have written meanwhile.
pub(super) struct GroupCommit {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// The last entry that is on disk.
    synced: u64,
    /// Whether a thread is syncing.
    is_busy: bool,
    /// The error of a sync. The system may have dropped what was not on disk, so it stays.
    failed: Option<(io::ErrorKind, String)>,
}

impl GroupCommit {
    pub(super) fn new(synced: u64) -> Self {
        let state = State { synced, is_busy: false, failed: None };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Returns the error of an earlier sync.
    pub(super) fn check(&self) -> io::Result<()> {
        self.lock().check()
    }

    /// Returns when the entry `seq` is on disk. `sync` brings every entry up to the newest one to
    /// the disk, and returns the number of that one.
    pub(super) fn wait_for(
        &self,
        seq: u64,
        sync: impl Fn() -> (u64, io::Result<()>),
    ) -> io::Result<()> {
        let mut state = self.lock();
        loop {
            state.check()?;
            if state.synced >= seq {
                return Ok(());
            }
            if state.is_busy {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state.is_busy = true;
            drop(state);
            let (last, result) = sync();
            state = self.lock();
            state.finish(last, result);
            self.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn check(&self) -> io::Result<()> {
        match &self.failed {
            Some((kind, message)) => Err(io::Error::new(*kind, message.clone())),
            None => Ok(()),
        }
    }

    fn finish(&mut self, last: u64, result: io::Result<()>) {
        self.is_busy = false;
        match result {
            Ok(()) => self.synced = self.synced.max(last),
            Err(error) => self.failed = Some((error.kind(), error.to_string())),
        }
    }
}
