//! Whether this server should get requests: not while its store of sessions is away.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use prowess::{Clock, Runtime};
use serde_json::Value;

use crate::convert::{CODE_KEY, RETRY_KEY};

/// The time between two checks, in milliseconds. A probe needs no token, and must not be a way to
/// keep a store busy.
const INTERVAL: u64 = 1000;

/// The time of the next check while one is running.
const NEVER: u64 = u64::MAX;

/// The state of the store that a server shares with others.
pub(super) struct Readiness {
    runtime: Arc<Runtime>,
    clock: Arc<dyn Clock>,
    is_away: AtomicBool,
    next_check: AtomicU64,
}

impl Readiness {
    pub(super) fn new(runtime: Arc<Runtime>, clock: Arc<dyn Clock>) -> Self {
        Self { runtime, clock, is_away: AtomicBool::new(false), next_check: AtomicU64::new(0) }
    }

    /// Returns the result of the last check. If that is old, another check begins, for which the
    /// probe does not wait: a store may take seconds to fail.
    pub(super) fn probe(self: &Arc<Self>) -> bool {
        let order = Ordering::SeqCst;
        let due = self.next_check.load(order);
        let is_due = self.clock.now().0 >= due;
        if is_due && self.next_check.compare_exchange(due, NEVER, order, order).is_ok() {
            let this = Arc::clone(self);
            tokio::task::spawn_blocking(move || {
                this.is_away.store(this.runtime.list_sessions(None, 1).is_err(), order);
                this.next_check.store(this.clock.now().0.saturating_add(INTERVAL), order);
            });
        }
        !self.is_away.load(order)
    }

    /// Returns the seconds after which a request may be repeated, if this is the answer to one that
    /// could not begin without the store.
    pub(super) fn retry_after(&self, answer: &[u8]) -> Option<u64> {
        let answer: Value = serde_json::from_slice(answer).ok()?;
        let data = &answer["error"]["data"];
        let is_away = data[CODE_KEY] == prowess::codes::STORE_UNAVAILABLE.as_str();
        let seconds = data[RETRY_KEY].as_u64().filter(|_| is_away)?;
        self.is_away.store(true, Ordering::SeqCst);
        Some(seconds)
    }
}
