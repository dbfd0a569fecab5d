//! When a process that failed is started again.

use std::collections::VecDeque;
use std::time::Duration;

use crate::{PluginError, PluginErrorKind, PluginLimits};

/// The failures of one plugin's processes. Time comes in as an argument.
#[derive(Default)]
pub(super) struct Failures {
    at: VecDeque<Duration>,
    last: Option<PluginError>,
}

impl Failures {
    /// Takes note of a failure. A call that did not end in time does not count: it has already
    /// taken its whole deadline, so the process can be replaced at once and as often as that
    /// happens.
    pub(super) fn note(&mut self, now: Duration, error: Option<&PluginError>) {
        if error.is_none_or(|error| error.kind != PluginErrorKind::Deadline) {
            self.at.push_back(now);
            self.last = error.cloned();
        }
    }

    /// Checks whether a process may be started now: after each failure there is a wait, and each is
    /// twice as long as the one before; after too many, none is started.
    pub(super) fn may_begin(
        &mut self,
        now: Duration,
        limits: &PluginLimits,
    ) -> Result<(), PluginError> {
        let window = Duration::from_secs(limits.restart_window_s);
        while self.at.front().is_some_and(|&failed| now - failed > window) {
            self.at.pop_front();
        }
        let (Some(&last), Some(error)) = (self.at.back(), &self.last) else {
            return Ok(());
        };
        let count = u32::try_from(self.at.len()).unwrap_or(u32::MAX);
        if count > limits.restarts {
            return Err(left_alone(error, count, window.as_secs()));
        }
        let backoff = Duration::from_millis(limits.restart_backoff_ms);
        let wait = backoff.saturating_mul(1 << (count - 1).min(16));
        match (last + wait).checked_sub(now) {
            Some(rest) if !rest.is_zero() => {
                let rest = rest.as_millis();
                let reason = format!("{}; it is started again in {rest} ms", error.reason);
                Err(PluginError { reason, ..error.clone() })
            }
            _ => Ok(()),
        }
    }
}

fn left_alone(error: &PluginError, count: u32, seconds: u64) -> PluginError {
    let reason =
        format!("{}; it failed {count} times in {seconds} s and is left alone", error.reason);
    PluginError { kind: PluginErrorKind::Quarantined, reason, ..error.clone() }
}
