//! A flag by which a host ends a long call.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Asked for by the host, looked at by whoever does the long work. Clones share one flag.
#[derive(Clone, Default)]
pub struct Cancel(Arc<State>);

#[derive(Default)]
struct State {
    flag: AtomicBool,
    asks: Option<Box<dyn Fn() -> bool + Send + Sync>>,
}

impl Cancel {
    /// A flag that is also set once `asks` has said so: for a host that cannot share the flag itself, such
    /// as one on the other side of a plugin's boundary. `asks` is called at each look and has to be quick.
    pub fn asking(asks: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(State { flag: AtomicBool::default(), asks: Some(Box::new(asks)) }))
    }

    /// Ask the work to end soon.
    pub fn cancel(&self) {
        self.0.flag.store(true, Ordering::Release);
    }

    /// Whether the work should end.
    pub fn is_cancelled(&self) -> bool {
        self.0.flag.load(Ordering::Acquire) || self.0.asks.as_ref().is_some_and(|asks| asks())
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Cancel").field(&self.is_cancelled()).finish()
    }
}
