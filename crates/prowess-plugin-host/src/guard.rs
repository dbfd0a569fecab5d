//! Stops panics of the host at the boundary to plugins.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a callback, and returns `otherwise` if it panics. The panic hook has reported the panic.
pub(crate) fn contain<T>(otherwise: T, work: impl FnOnce() -> T) -> T {
    // A panic may interrupt a change of a table; the poisoning of its lock is ignored.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        std::mem::forget(payload);
        otherwise
    })
}
