//! Panics of the host: they stop at the boundary to plugins, and poison no lock.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Runs a callback, and returns `otherwise` if it panics. The panic hook has reported the panic.
pub(crate) fn contain<T>(otherwise: T, work: impl FnOnce() -> T) -> T {
    // A panic may interrupt a change of a table; the poisoning of its lock is ignored.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        std::mem::forget(payload);
        otherwise
    })
}

/// Locks a mutex and ignores poisoning: the values are consistent also after a panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
