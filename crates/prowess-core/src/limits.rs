//! Interfaces for rate limits and the tracking of costs, which the host implements.

use std::time::Duration;

use crate::CallIntent;

/// Limits the rate of calls.
///
/// # Behavior
///
/// - `admit` is called once for each call with valid arguments, before the gate, from any thread.
/// - A refused call is not run and reaches no gate; the audit records it.
/// - A limiter that panics refuses the call.
pub trait RateLimiter: Send + Sync {
    /// Admits a call, or returns the reason for refusing it.
    ///
    /// # Errors
    ///
    /// Returns a refusal if there were too many calls.
    fn admit(&self, intent: &CallIntent) -> Result<(), RateLimited>;
}

/// The refusal of a [`RateLimiter`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many calls{}", .retry_after.map(|wait| format!("; try again in {wait:?}")).unwrap_or_default())]
pub struct RateLimited {
    /// The time after which the call may be made again, if it is known.
    pub retry_after: Option<Duration>,
}

/// Receives the usage of each call.
///
/// # Behavior
///
/// - `track` is called once for each call that ran, after it ended, from any thread.
/// - It may not panic and should return quickly.
pub trait CostTracker: Send + Sync {
    /// Records the usage of one call.
    fn track(&self, usage: &CallUsage<'_>);
}

/// The usage of one call.
#[derive(Clone, Copy, Debug)]
pub struct CallUsage<'a> {
    /// The call, with its session and origin.
    pub intent: &'a CallIntent,
    /// The tokens of the arguments, which the model wrote.
    pub argument_tokens: usize,
    /// The tokens of the result's text, which the model reads.
    pub result_tokens: usize,
    /// The duration, by the host's clock.
    pub duration: Duration,
}
