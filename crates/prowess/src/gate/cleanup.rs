//! The removal of approvals that have had no effect for long.

use std::sync::atomic::{AtomicU64, Ordering};

use prowess_core::{ApprovalStore, ApprovalStoreError, Timestamp};

/// The number of milliseconds between two cleanups by one runtime.
const INTERVAL: u64 = 60 * 60 * 1000;

/// Removes finished approvals, at most once an hour.
#[derive(Default)]
pub(crate) struct Cleanup {
    /// The time of the next cleanup in milliseconds.
    next: AtomicU64,
}

impl Cleanup {
    /// Removes the approvals that have had no effect for `keep_seconds`, unless it did so within
    /// the last hour.
    ///
    /// # Errors
    ///
    /// The store fails. The next call tries again.
    pub(super) fn run(
        &self,
        approvals: &dyn ApprovalStore,
        now: Timestamp,
        keep_seconds: u64,
    ) -> Result<(), ApprovalStoreError> {
        if now.0 < self.next.load(Ordering::Relaxed) {
            return Ok(());
        }
        let before = now.0.saturating_sub(keep_seconds.saturating_mul(1000));
        approvals.remove_finished(Timestamp(before))?;
        self.next.store(now.0.saturating_add(INTERVAL), Ordering::Relaxed);
        Ok(())
    }
}
