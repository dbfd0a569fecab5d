//! A clock for tests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prowess_core::{Clock, Timestamp};

/// A clock that stands still until [`ManualClock::advance`] is called.
#[derive(Debug)]
pub struct ManualClock {
    start: u64,
    elapsed_ms: AtomicU64,
}

impl ManualClock {
    /// Creates a clock that shows this time.
    pub fn at(start: Timestamp) -> Self {
        Self { start: start.0, elapsed_ms: AtomicU64::new(0) }
    }

    /// Advances the clock.
    pub fn advance(&self, by: Duration) {
        let ms = u64::try_from(by.as_millis()).expect("a test waits less than an aeon");
        self.elapsed_ms.fetch_add(ms, Ordering::SeqCst);
    }
}

/// By default the clock shows 2026-01-01T00:00:00Z.
impl Default for ManualClock {
    fn default() -> Self {
        Self::at(Timestamp(1_767_225_600_000))
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.start + self.elapsed_ms.load(Ordering::SeqCst))
    }

    fn elapsed(&self) -> Duration {
        Duration::from_millis(self.elapsed_ms.load(Ordering::SeqCst))
    }
}
