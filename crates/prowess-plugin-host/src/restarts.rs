//! Limits how often a plugin is restarted after failures.

use std::collections::VecDeque;
use std::time::Duration;

/// The maximum number of restarts of a failed plugin within the window.
pub(crate) const MAX_RESTARTS: u32 = 3;
/// The window in seconds after which a failure no longer counts.
pub(crate) const WINDOW_SECONDS: u64 = 600;
/// The backoff before the first restart of a process; it doubles each time.
pub(crate) const PROCESS_BACKOFF: Duration = Duration::from_millis(100);

/// The recent failures of a plugin. The clock is an argument.
#[derive(Debug)]
pub(crate) struct Restarts {
    backoff: Duration,
    failed_at: VecDeque<Duration>,
}

/// Whether a plugin may be restarted now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Restart {
    Now,
    /// After this time.
    Later(Duration),
    /// The plugin failed this many times within the window, which is too often.
    Never(u32),
}

impl Restarts {
    /// Allows a restart after a backoff, which doubles with each failure. An instance in this
    /// process is cheap to start, so its backoff is zero.
    pub(crate) fn new(backoff: Duration) -> Self {
        Self { backoff, failed_at: VecDeque::new() }
    }

    pub(crate) fn record_failure(&mut self, now: Duration) {
        self.failed_at.push_back(now);
    }

    /// Returns whether the plugin may be restarted. Failures before the window do not count.
    pub(crate) fn check(&mut self, now: Duration) -> Restart {
        let is_old = |&at: &Duration| now.saturating_sub(at) > Duration::from_secs(WINDOW_SECONDS);
        while self.failed_at.front().is_some_and(is_old) {
            self.failed_at.pop_front();
        }
        let Some(&last) = self.failed_at.back() else { return Restart::Now };
        let count = u32::try_from(self.failed_at.len()).unwrap_or(u32::MAX);
        if count > MAX_RESTARTS {
            return Restart::Never(count);
        }
        let wait = self.backoff.saturating_mul(1 << (count - 1).min(16));
        match (last + wait).saturating_sub(now) {
            Duration::ZERO => Restart::Now,
            rest => Restart::Later(rest),
        }
    }
}
