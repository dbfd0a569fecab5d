//! Decides when a process that failed is restarted.

use std::collections::VecDeque;
use std::time::Duration;

use prowess_text::counted;

use crate::{PluginError, PluginErrorKind, PluginLimits};

/// The failures of a plugin's processes. The clock is an argument.
#[derive(Default)]
pub(super) struct Failures {
    at: VecDeque<Duration>,
    last: Option<PluginError>,
}

impl Failures {
    /// Records a failure. A timeout does not count: the call has already taken its whole time
    /// limit, so the process is replaced at once and without a limit on restarts.
    pub(super) fn record(&mut self, now: Duration, error: Option<&PluginError>) {
        if error.is_none_or(|error| error.kind != PluginErrorKind::Deadline) {
            self.at.push_back(now);
            self.last = error.cloned();
        }
    }

    /// Checks whether a process may be started now. After each failure there is a backoff, which
    /// doubles each time. After too many failures no process is started.
    ///
    /// # Errors
    ///
    /// Returns the last failure during the backoff, and after too many failures.
    pub(super) fn check_restart(
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
            return Err(quarantined(error, count, window.as_secs()));
        }
        let backoff = Duration::from_millis(limits.restart_backoff_ms);
        let wait = backoff.saturating_mul(1 << (count - 1).min(16));
        match (last + wait).checked_sub(now) {
            Some(rest) if !rest.is_zero() => {
                let rest = rest.as_millis();
                let reason = format!("{}; it is restarted in {rest} ms", error.reason);
                Err(PluginError { reason, ..error.clone() })
            }
            _ => Ok(()),
        }
    }
}

fn quarantined(error: &PluginError, count: u32, seconds: u64) -> PluginError {
    let reason = format!(
        "{}; it failed {} in {seconds} s and is not restarted",
        error.reason,
        counted(count, "time")
    );
    PluginError { kind: PluginErrorKind::Quarantined, reason, ..error.clone() }
}
