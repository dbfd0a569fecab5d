//! No panic of the host crosses the boundary either.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a callback; `otherwise` is the answer if it panics. The host's own hook has reported the
/// panic.
pub(crate) fn contain<T>(otherwise: T, work: impl FnOnce() -> T) -> T {
    // A callback may leave tables half changed; their locks are taken again regardless.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        std::mem::forget(payload);
        otherwise
    })
}
