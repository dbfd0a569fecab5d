//! A flag by which a host cancels a long call.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A cancellation flag: the host sets it, and long work checks it. Clones share one flag.
#[derive(Clone, Default)]
pub struct Cancel(Arc<State>);

#[derive(Default)]
struct State {
    flag: AtomicBool,
    poll: Option<Box<dyn Fn() -> bool + Send + Sync>>,
}

impl Cancel {
    /// Creates a flag that is also set once `poll` returns `true`, for a host that cannot share the
    /// flag, such as the host of a plugin. `poll` is called at each check and must be fast.
    pub fn with_poll(poll: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(State { flag: AtomicBool::default(), poll: Some(Box::new(poll)) }))
    }

    /// Requests the cancellation.
    pub fn cancel(&self) {
        self.0.flag.store(true, Ordering::Release);
    }

    /// Returns whether the cancellation was requested.
    pub fn is_cancelled(&self) -> bool {
        self.0.flag.load(Ordering::Acquire) || self.0.poll.as_ref().is_some_and(|poll| poll())
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Cancel").field(&self.is_cancelled()).finish()
    }
}
