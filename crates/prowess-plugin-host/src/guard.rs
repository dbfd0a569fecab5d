//! No panic of the host crosses the boundary either.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a callback; `otherwise` is the answer if it panics. The host's own hook has reported the
/// panic.
pub(crate) fn contain<T>(otherwise: T, work: impl FnOnce() -> T) -> T {
    // What a callback may leave half done are tables, whose locks are taken again all the same.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        std::mem::forget(payload);
        otherwise
    })
}
