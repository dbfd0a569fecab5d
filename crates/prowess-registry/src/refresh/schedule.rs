//! Decides when a reload is due.

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

/// A registry, its policy, and the times of the last reload and poll.
pub(super) struct Schedule {
    registry: Arc<Registry>,
    policy: RefreshPolicy,
    clock: Arc<dyn Clock>,
    last: Mutex<Last>,
    /// Cancelled when the refresher is dropped.
    over: Cancel,
}

/// The times of the last reload and poll, by the clock's `elapsed`.
struct Last {
    reload: Duration,
    poll: Duration,
    /// The polled sources, by their indices.
    polled: BTreeSet<usize>,
}

impl Schedule {
    pub(super) fn new(
        registry: Arc<Registry>,
        policy: RefreshPolicy,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let now = clock.elapsed();
        let polled = if policy.mode() == RefreshMode::Poll {
            (0..registry.sources().len()).collect()
        } else {
            BTreeSet::new()
        };
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

    /// Reloads at the start of a turn if the policy requires it, or if the trust in a folder has
    /// changed.
    pub(super) fn reload_if_stale(&self) -> Option<Reload> {
        self.reload_if_old().or_else(|| self.registry.reload_if_trust_changed(&self.over))
    }

    fn reload_if_old(&self) -> Option<Reload> {
        let is_due = self.policy.mode() == RefreshMode::Ttl
            && !self.registry.is_reloading()
            && self.claim(self.policy.ttl());
        is_due.then(|| self.registry.reload_for(ReloadCause::Ttl))
    }

    /// Returns whether the last reload is this old. If so, only this caller starts the next one.
    fn claim(&self, age: Duration) -> bool {
        let mut last = lock(&self.last);
        let now = self.now();
        let is_old = now.saturating_sub(last.reload) >= age;
        if is_old {
            last.reload = now;
        }
        is_old
    }

    pub(super) fn poll(&self, source: usize) {
        lock(&self.last).polled.insert(source);
    }

    /// Returns the time until the next poll; `None` if no source is polled.
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
        let parts = last.polled.iter();
        let parts: BTreeMap<_, _> =
            parts.map(|&source| (source, Part::whole(OnMissingSkill::Confirm))).collect();
        drop(last);
        Some(self.request(Scope::Sources(parts), ReloadCause::Poll))
    }

    /// Reloads until the end of this schedule.
    pub(super) fn request(&self, scope: Scope, cause: ReloadCause) -> Outcome {
        self.registry.request(scope, cause, Some(&self.over))
    }

    pub(super) fn end(&self) {
        self.over.cancel();
    }
}
