//! The state of a source that follows remotes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prowess_core::{Cancel, Clock, Diagnostic, Remote, SourceError, SourceErrorKind};

use super::LiveOptions;
use super::poll::{Polled, poll};
use crate::installer::Installer;
use crate::lock_file::LockFile;
use crate::store::Store;

/// The state that the source and its threads share.
pub(crate) struct Shared {
    store: Store,
    lock: LockFile,
    pub(crate) options: LiveOptions,
    remote: Arc<dyn Remote>,
    clock: Arc<dyn Clock>,
    polled: Mutex<Option<Poll>>,
    threads: AtomicUsize,
}

/// A poll, and the time at which it ended.
struct Poll {
    ended: Duration,
    result: Polled,
}

impl Shared {
    pub(crate) fn new(
        store: Store,
        lock: LockFile,
        remote: Arc<dyn Remote>,
        clock: Arc<dyn Clock>,
        options: LiveOptions,
    ) -> Self {
        let threads = AtomicUsize::new(0);
        Self { store, lock, options, remote, clock, polled: Mutex::default(), threads }
    }

    fn installer(&self) -> Installer<'_> {
        let signers = &self.options.signers;
        Installer { store: &self.store, lock: &self.lock, remote: &*self.remote, signers }
    }

    /// Asks for new versions, and returns whether anything has changed that a scan would report.
    pub(crate) fn poll(&self, cancel: &Cancel) -> bool {
        let mut polled = self.polled();
        let result = poll(&self.installer(), &self.options, self.clock.now(), cancel);
        let is_same = polled.as_ref().is_some_and(|last| last.result.reports == result.reports);
        let has_changed = result.has_changed || !is_same;
        *polled = Some(Poll { ended: self.clock.elapsed(), result });
        has_changed
    }

    /// Asks for new versions if no thread does, and the interval is over.
    pub(crate) fn poll_if_due(&self, cancel: &Cancel) {
        if self.threads.load(Ordering::Acquire) == 0 && self.is_due() {
            self.poll(cancel);
        }
    }

    /// Returns whether the interval is over since the last poll.
    pub(crate) fn is_due(&self) -> bool {
        let elapsed = |last: &Poll| self.clock.elapsed().saturating_sub(last.ended);
        self.polled().as_ref().is_none_or(|last| elapsed(last) >= self.options.interval)
    }

    /// Returns what the last poll reported.
    ///
    /// # Errors
    ///
    /// There are no skills, because no source was ever read.
    pub(crate) fn reports(&self) -> Result<Vec<Diagnostic>, SourceError> {
        match self.polled().as_ref().map(|last| &last.result) {
            Some(Polled { failure: Some(reason), .. }) => {
                Err(SourceError::new(SourceErrorKind::Unavailable, reason.clone()))
            }
            Some(Polled { reports, .. }) => Ok(reports.clone()),
            None => Ok(Vec::new()),
        }
    }

    fn polled(&self) -> MutexGuard<'_, Option<Poll>> {
        // It is replaced as a whole, so a poisoned lock holds a valid one.
        self.polled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn thread_started(&self) {
        self.threads.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn thread_ended(&self) {
        self.threads.fetch_sub(1, Ordering::AcqRel);
    }
}
