//! Limits how often a plugin is restarted after failures.

use std::collections::VecDeque;
use std::time::Duration;

use crate::PluginLimits;

/// The recent failures of a plugin. The clock is an argument.
#[derive(Debug)]
pub(crate) struct Restarts {
    limit: u32,
    window: Duration,
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
    /// Allows a restart after a backoff, which doubles with each failure.
    pub(crate) fn new(limits: &PluginLimits) -> Self {
        Self {
            limit: limits.restarts,
            window: Duration::from_secs(limits.restart_window_s),
            backoff: Duration::from_millis(limits.restart_backoff_ms),
            failed_at: VecDeque::new(),
        }
    }

    /// Allows a restart at once: starting an instance in this process is cheap.
    pub(crate) fn without_backoff(limits: &PluginLimits) -> Self {
        Self { backoff: Duration::ZERO, ..Self::new(limits) }
    }

    pub(crate) fn record_failure(&mut self, now: Duration) {
        self.failed_at.push_back(now);
    }

    /// Returns whether the plugin may be restarted. Failures before the window do not count.
    pub(crate) fn check(&mut self, now: Duration) -> Restart {
        let is_old = |&at: &Duration| now.saturating_sub(at) > self.window;
        while self.failed_at.front().is_some_and(is_old) {
            self.failed_at.pop_front();
        }
        let Some(&last) = self.failed_at.back() else { return Restart::Now };
        let count = u32::try_from(self.failed_at.len()).unwrap_or(u32::MAX);
        if count > self.limit {
            return Restart::Never(count);
        }
        let wait = self.backoff.saturating_mul(1 << (count - 1).min(16));
        match (last + wait).saturating_sub(now) {
            Duration::ZERO => Restart::Now,
            rest => Restart::Later(rest),
        }
    }
}
