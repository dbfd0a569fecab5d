//! A circuit breaker for the restarts of a plugin.

use std::collections::VecDeque;
use std::time::Duration;

/// Limits the number of restarts within a time window. The clock is an argument.
#[derive(Debug)]
pub(crate) struct Breaker {
    limit: usize,
    window: Duration,
    failures: VecDeque<Duration>,
    is_open: bool,
}

impl Breaker {
    pub(crate) fn new(limit: u32, window: Duration) -> Self {
        Self { limit: limit as usize, window, failures: VecDeque::new(), is_open: false }
    }

    /// Counts a restart, and returns whether it is within the limit. Once the limit was exceeded,
    /// every further restart is refused.
    pub(crate) fn allow_restart(&mut self, now: Duration) -> bool {
        let is_old = |&at: &Duration| now.saturating_sub(at) >= self.window;
        while self.failures.front().is_some_and(is_old) {
            self.failures.pop_front();
        }
        self.is_open |= self.failures.len() >= self.limit;
        if !self.is_open {
            self.failures.push_back(now);
        }
        !self.is_open
    }

    /// Returns whether a restart was refused.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }
}
