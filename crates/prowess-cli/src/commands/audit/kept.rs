//! The log of a running server, which answers from what it has read and reads on beside.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use prowess::{Clock as _, SystemClock, Timestamp};
use prowess_audit::LogIndex;

use super::failure;
use crate::failure::Failure;

/// The number of bytes that are read for one answer at most. The rest is read beside.
const STEP: u64 = 128 << 10;

/// The time after which the whole log is read again: what was changed inside of the file that is
/// being written shows there alone.
const AGAIN: Duration = Duration::from_secs(10 * 60);

/// The code of a log that has not been read to its end since the server started.
pub(crate) const LOG_BEING_READ: &str = "audit-log-being-read";

/// A log.
pub(crate) struct Kept(Arc<Shared>);

struct Shared {
    path: PathBuf,
    state: Mutex<State>,
    /// The number of answers that wait for the state.
    waiting: AtomicUsize,
    is_reading: AtomicBool,
}

struct State {
    index: LogIndex,
    /// When the end of the log was read last.
    as_of: Option<Timestamp>,
    /// When the log was begun to be read from its start.
    begun: Instant,
}

impl Kept {
    pub(crate) fn new(path: PathBuf) -> Self {
        let state = Mutex::new(State::new(&path));
        let (waiting, is_reading) = Default::default();
        Self(Arc::new(Shared { path, state, waiting, is_reading }))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0.path
    }

    /// Passes on what is known of the log, and returns the result with the time at which its end
    /// was read: now, unless more was added than is read for one answer.
    pub(super) fn read<R>(
        &self,
        then: impl FnOnce(&LogIndex) -> Result<R, Failure>,
    ) -> Result<(R, Option<Timestamp>), Failure> {
        let Shared { path, waiting, is_reading, .. } = &*self.0;
        waiting.fetch_add(1, Ordering::Relaxed);
        let mut state = self.0.lock();
        waiting.fetch_sub(1, Ordering::Relaxed);
        let is_end = state.extend().map_err(|error| failure(path, &error))?;
        let is_old = state.begun.elapsed() > AGAIN;
        if (!is_end || is_old) && !is_reading.swap(true, Ordering::Relaxed) {
            let shared = Arc::clone(&self.0);
            thread::spawn(move || shared.read_on(is_old));
        }
        if !state.index.is_whole() && state.index.verified().is_ok() {
            let message = "the audit log is new to this page, which is reading it";
            return Err(Failure::new(LOG_BEING_READ, message, "load the page again in a moment"));
        }
        Ok((then(&state.index)?, state.as_of))
    }
}

impl State {
    fn new(path: &Path) -> Self {
        Self { index: LogIndex::new(path), as_of: None, begun: Instant::now() }
    }

    fn extend(&mut self) -> Result<bool, prowess_audit::VerifyError> {
        let is_end = self.index.extend(STEP)?;
        if is_end {
            self.as_of = Some(SystemClock::default().now());
        }
        Ok(is_end)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the rest of the log, or all of it again.
    fn read_on(&self, is_again: bool) {
        if is_again {
            let mut state = State::new(&self.path);
            while matches!(state.extend(), Ok(false)) {}
            // One that cannot be read now is tried again with the next answer.
            if state.as_of.is_some() {
                *self.lock() = state;
            }
        } else {
            while matches!(self.lock().extend(), Ok(false)) {
                while self.waiting.load(Ordering::Relaxed) > 0 {
                    thread::yield_now();
                }
            }
        }
        self.is_reading.store(false, Ordering::Relaxed);
    }
}
