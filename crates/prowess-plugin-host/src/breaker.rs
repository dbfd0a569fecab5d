//! How often a plugin that failed is begun again.

use std::collections::VecDeque;
use std::time::Duration;

/// Counts failures over some time. Time comes in as an argument.
#[derive(Debug)]
pub(crate) struct Breaker {
    most: usize,
    window: Duration,
    failures: VecDeque<Duration>,
    is_open: bool,
}

impl Breaker {
    pub(crate) fn new(most: u32, window: Duration) -> Self {
        Self { most: most as usize, window, failures: VecDeque::new(), is_open: false }
    }

    /// Whether the plugin may be begun again now; each yes is counted. After the first no there is
    /// no further yes.
    pub(crate) fn may_begin_again(&mut self, now: Duration) -> bool {
        let is_old = |&at: &Duration| now.saturating_sub(at) >= self.window;
        while self.failures.front().is_some_and(is_old) {
            self.failures.pop_front();
        }
        self.is_open |= self.failures.len() >= self.most;
        if !self.is_open {
            self.failures.push_back(now);
        }
        !self.is_open
    }

    /// Whether there was a no.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }
}
