//! What is due by the clock.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use prowess_core::{Cancel, Clock};

use super::{RefreshMode, RefreshPolicy};
use crate::cause::ReloadCause;
use crate::registry::Outcome;
use crate::scope::{OnMissingSkill, Part, Scope};
use crate::sync::{Mutex, lock};
use crate::{Registry, Reload};

/// A registry, its policy, and when what was done last.
pub(super) struct Schedule {
    registry: Arc<Registry>,
    policy: RefreshPolicy,
    clock: Arc<dyn Clock>,
    last: Mutex<Last>,
    /// Set when no handle needs a fresh catalog any more.
    over: Cancel,
}

/// Times as the clock's `elapsed` gave them.
struct Last {
    reload: Duration,
    poll: Duration,
    /// The sources that are polled, by their numbers.
    polled: BTreeSet<usize>,
}

impl Schedule {
    pub(super) fn new(
        registry: Arc<Registry>,
        policy: RefreshPolicy,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let now = clock.elapsed();
        let is_polled = |_: &usize| policy.mode() == RefreshMode::Poll;
        let polled = (0..registry.sources().len()).filter(is_polled).collect();
        let last = Mutex::new(Last { reload: now, poll: now, polled });
        Self { registry, policy, clock, last, over: Cancel::default() }
    }

    pub(super) fn registry(&self) -> &Registry {
        &self.registry
    }

    pub(super) fn policy(&self) -> &RefreshPolicy {
        &self.policy
    }

    pub(super) fn now(&self) -> Duration {
        self.clock.elapsed()
    }

    pub(super) fn reload_for(&self, cause: ReloadCause) -> Reload {
        lock(&self.last).reload = self.now();
        self.registry.reload_for(cause)
    }

    pub(super) fn reload_if_cooled_down(&self) -> Option<Reload> {
        self.claim(self.policy.cool_down()).then(|| self.registry.reload())
    }

    /// As the policy says; and under each, what the user trusts is heeded at once.
    pub(super) fn turn_begins(&self) -> Option<Reload> {
        self.reload_if_old().or_else(|| self.registry.heed_trust(&self.over))
    }

    fn reload_if_old(&self) -> Option<Reload> {
        let is_due = self.policy.mode() == RefreshMode::Ttl
            && !self.registry.is_reloading()
            && self.claim(self.policy.ttl().max(self.policy.cool_down()));
        is_due.then(|| self.registry.reload_for(ReloadCause::Ttl))
    }

    /// Returns whether the last reload is this old. If so, this caller alone makes the next one.
    fn claim(&self, age: Duration) -> bool {
        let mut last = lock(&self.last);
        let now = self.now();
        let is_old = now.saturating_sub(last.reload) >= age;
        if is_old {
            last.reload = now;
        }
        is_old
    }

    /// From now on this source is polled.
    pub(super) fn poll(&self, source: usize) {
        lock(&self.last).polled.insert(source);
    }

    /// How long it is until the next poll; `None` where nothing is polled.
    pub(super) fn next_poll(&self) -> Option<Duration> {
        let last = lock(&self.last);
        let age = self.now().saturating_sub(last.poll);
        (!last.polled.is_empty()).then(|| self.policy.poll().saturating_sub(age))
    }

    pub(super) fn poll_if_due(&self) -> Option<Outcome> {
        let mut last = lock(&self.last);
        let now = self.now();
        if last.polled.is_empty() || now.saturating_sub(last.poll) < self.policy.poll() {
            return None;
        }
        last.poll = now;
        let part = |&source: &usize| (source, Part::whole(OnMissingSkill::Confirm));
        let parts: BTreeMap<_, _> = last.polled.iter().map(part).collect();
        drop(last);
        Some(self.request(Scope::Sources(parts), ReloadCause::Poll))
    }

    /// A reload that the end of this schedule ends.
    pub(super) fn request(&self, scope: Scope, cause: ReloadCause) -> Outcome {
        self.registry.request(scope, cause, Some(&self.over))
    }

    pub(super) fn end(&self) {
        self.over.cancel();
    }
}
