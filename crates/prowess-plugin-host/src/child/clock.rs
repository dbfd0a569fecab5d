//! The clock of a plugin's process.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use prowess_core::{Clock, Timestamp};

/// The system clock, for a plugin's process.
pub(crate) struct ProcessClock(Instant);

impl Default for ProcessClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for ProcessClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
