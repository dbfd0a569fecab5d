//! The host's rate limiter and cost tracker, with protection against their panics.

use std::sync::Arc;
use std::time::Duration;

use prowess_core::{
    CallIntent, CallUsage, CostTracker, Outcome, RateLimiter, TokenCounter, ToolResult,
};
use serde_json::Value;

use super::dispatched::Answer;
use crate::codes;
use crate::gate::Refusal;
use crate::guarded::guarded;

/// The limits of one toolbox; none by default.
#[derive(Default)]
pub(crate) struct Limits {
    pub(crate) limiter: Option<Arc<dyn RateLimiter>>,
    pub(crate) tracker: Option<Tracker>,
}

/// A cost tracker, and the counter of the tokens that it receives.
pub(crate) struct Tracker {
    pub(crate) costs: Arc<dyn CostTracker>,
    pub(crate) counter: Arc<dyn TokenCounter>,
}

impl Limits {
    /// Admits a call unless the limiter refuses it or panics.
    pub(crate) fn admit(&self, intent: &CallIntent) -> Result<(), Refusal> {
        let Some(limiter) = &self.limiter else { return Ok(()) };
        let reason = match guarded(|| limiter.admit(intent)) {
            Some(Ok(())) => return Ok(()),
            Some(Err(limited)) => limited.to_string(),
            None => "the rate limiter of this host failed; tell the user".to_owned(),
        };
        Err(Refusal::new(codes::RATE_LIMITED, format!("not run: {reason}")))
    }

    /// Reports the use of a call that ran.
    pub(crate) fn track(
        &self,
        intent: &CallIntent,
        arguments: &Value,
        answer: &Answer,
        duration: Duration,
    ) {
        let Some(tracker) = &self.tracker else { return };
        // A command whose read was refused ran.
        let has_run = answer.result.sandbox.is_some();
        if has_run || !matches!(answer.outcome, Outcome::Refused(_)) {
            // A tracker that panics loses the use of this call only.
            guarded(|| tracker.track(intent, arguments, &answer.result, duration));
        }
    }
}

impl Tracker {
    fn track(
        &self,
        intent: &CallIntent,
        arguments: &Value,
        result: &ToolResult,
        duration: Duration,
    ) {
        let argument_tokens = self.counter.count(&arguments.to_string());
        let result_tokens = result.texts().map(|text| self.counter.count(text)).sum();
        self.costs.track(&CallUsage { intent, argument_tokens, result_tokens, duration });
    }
}
