//! A flag by which a host ends a long call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Asked for by the host, looked at by whoever does the long work. Clones share one flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Ask the work to end soon.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether the work should end.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
