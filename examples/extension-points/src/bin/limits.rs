//! A `RateLimiter` and a `CostTracker` of the host.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use extension_points::kitchen;
use prowess::{CallIntent, CallUsage, CostTracker, Error, RateLimited, RateLimiter, ToolCall};
use serde_json::json;

/// Admits so many calls in all.
struct CallsLeft(AtomicUsize);

impl RateLimiter for CallsLeft {
    fn admit(&self, _intent: &CallIntent) -> Result<(), RateLimited> {
        let take = |calls: usize| calls.checked_sub(1);
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        taken.map(drop).map_err(|_| RateLimited { retry_after: None })
    }
}

/// Adds up the tokens that results bring into conversations.
#[derive(Default)]
struct ResultTokens(AtomicUsize);

impl CostTracker for ResultTokens {
    fn track(&self, usage: &CallUsage<'_>) {
        self.0.fetch_add(usage.result_tokens, Ordering::Relaxed);
    }
}

fn main() -> Result<(), Error> {
    let costs = Arc::new(ResultTokens::default());
    let limiter = Arc::new(CallsLeft(AtomicUsize::new(1)));
    let runtime = kitchen().rate_limiter(limiter).cost_tracker(Arc::clone(&costs) as _).build()?;
    let turn = runtime.turn(&runtime.open_session()?)?;
    for name in ["tea", "bread"] {
        let result = turn.call(&ToolCall::new("skills_load", json!({ "names": [name] }))).result;
        println!("{name}: {}", result.code.as_ref().map_or("loaded", |code| code.as_str()));
    }
    println!("results had tokens: {}", costs.0.load(Ordering::Relaxed) > 0);
    Ok(())
}
