//! Decides when to reload, by a policy that is separate from the registry.

mod driver;
mod inbox;
mod policy;
mod schedule;

use std::sync::{Arc, OnceLock};

use prowess_core::Clock;

use crate::{Registry, Reload, ReloadCause};
use driver::Driver;
use schedule::Schedule;

pub use policy::{RefreshMode, RefreshPolicy};

/// Keeps a registry's catalog fresh by a [`RefreshPolicy`], until it is dropped.
///
/// `manual` and `ttl` have no thread: `ttl` is checked at the start of a turn. `poll` and `watch`
/// have one, which sleeps while it has no work and has ended when the drop returns.
pub struct Refresher {
    schedule: Arc<Schedule>,
    driver: OnceLock<Driver>,
}

impl Refresher {
    /// Starts to refresh a registry that has just finished its first scan.
    ///
    /// Watches are set up in the background. A source whose watch fails is polled instead, with a
    /// diagnostic in the catalog; one that does not support watching is polled without.
    ///
    /// # Errors
    ///
    /// Returns an error if the policy needs a thread and the operating system cannot start one.
    pub fn start(
        registry: Arc<Registry>,
        policy: RefreshPolicy,
        clock: Arc<dyn Clock>,
    ) -> std::io::Result<Self> {
        let refresher = Self::new(registry, policy, clock);
        refresher.begin()?;
        Ok(refresher)
    }

    /// As [`Self::start`], without polls and watches until [`Self::begin`]: a host that answers
    /// first is not slowed down by them.
    pub fn new(registry: Arc<Registry>, policy: RefreshPolicy, clock: Arc<dyn Clock>) -> Self {
        let schedule = Arc::new(Schedule::new(registry, policy, clock));
        Self { schedule, driver: OnceLock::new() }
    }

    /// Starts to poll and to watch, if the policy does so and it has not begun. The first thing is
    /// a scan, which finds what has changed since the last one.
    ///
    /// # Errors
    ///
    /// As for [`Self::start`].
    pub fn begin(&self) -> std::io::Result<()> {
        let has_thread =
            matches!(self.schedule.policy().mode(), RefreshMode::Poll | RefreshMode::Watch);
        if has_thread && self.driver.get().is_none() {
            // Of two threads that begin at once, the second one's driver ends.
            drop(self.driver.set(Driver::start(&self.schedule)?));
        }
        Ok(())
    }

    /// Reloads if the policy is `ttl` and the last reload is old enough. A turn that starts during
    /// another reload does not wait for it and uses the current catalog.
    ///
    /// Under each policy the turn waits until a change of the trust in a folder has taken effect.
    pub fn reload_if_stale(&self) -> Option<Reload> {
        self.schedule.reload_if_stale()
    }

    /// Reloads unless the last reload is younger than the cool-down; `None` if it is.
    pub fn refresh(&self) -> Option<Reload> {
        self.schedule.reload_if_cooled_down()
    }

    /// Reloads, however recent the last reload is.
    pub fn reload(&self) -> Reload {
        self.reload_for(ReloadCause::Manual)
    }

    /// As [`Self::reload`], for another cause than a call by the host.
    pub fn reload_for(&self, cause: ReloadCause) -> Reload {
        self.schedule.reload_for(cause)
    }

    /// Scans the polled sources if a poll is due by the clock. The thread does so by itself; this
    /// is for a manual clock, and for a host that has its own loop.
    pub fn poll_if_due(&self) -> Option<Reload> {
        self.schedule.poll_if_due().map(|outcome| {
            if let Some(driver) = self.driver.get() {
                driver.confirm_later(outcome.unconfirmed);
            }
            outcome.reload
        })
    }
}

impl std::fmt::Debug for Refresher {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Refresher").field("policy", self.schedule.policy()).finish()
    }
}
