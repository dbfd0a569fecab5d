//! A real clock that a test can move forward.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use prowess_core::{Clock, Timestamp};

/// Real time plus the time that a test has added.
pub(crate) struct MovableClock {
    start: Instant,
    added: Mutex<Duration>,
}

impl Default for MovableClock {
    fn default() -> Self {
        Self { start: Instant::now(), added: Mutex::default() }
    }
}

impl MovableClock {
    pub(crate) fn advance(&self, time: Duration) {
        *self.added.lock().unwrap() += time;
    }
}

impl Clock for MovableClock {
    fn now(&self) -> Timestamp {
        Timestamp(0)
    }

    fn elapsed(&self) -> Duration {
        self.start.elapsed() + *self.added.lock().unwrap()
    }
}
