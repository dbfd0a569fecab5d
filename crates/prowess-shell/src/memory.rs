//! The memory of all sandboxes of this process together.

use std::sync::{Mutex, PoisonError};

/// The most bytes of all sandboxes: those in which a command runs count with all that it may take,
/// the others with what they had at most in their last command.
pub(crate) const OF_ALL: u64 = 1 << 30;

static USED: Mutex<u64> = Mutex::new(0);

/// The share of one sandbox, which is returned when it is dropped.
#[derive(Default)]
pub(crate) struct Share(pub(crate) u64);

impl Share {
    /// Changes the share. Returns how much the others have to give back first for a larger one. A
    /// single sandbox may always have what its policy says.
    pub(crate) fn set(&mut self, bytes: u64) -> u64 {
        let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
        let others = used.saturating_sub(self.0);
        let all = others.saturating_add(bytes);
        let missing = if bytes <= self.0 { 0 } else { all.saturating_sub(OF_ALL).min(others) };
        if missing == 0 {
            *used = all;
            self.0 = bytes;
        }
        missing
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.set(0);
    }
}
