//! Protection against panics of tools and of a host's own parts.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs foreign code; returns `None` if it panicked. The toolbox is not changed while it runs, so
/// its state stays valid.
pub(crate) fn guarded<T>(run: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(run)).ok()
}
