//! When to reload: a policy beside the registry, not part of it.

mod driver;
mod inbox;
mod policy;
mod schedule;

use std::sync::Arc;

use prowess_core::Clock;

use crate::{Registry, Reload, ReloadCause};
use driver::Driver;
use schedule::Schedule;

pub use policy::{RefreshMode, RefreshPolicy};

/// Keeps a registry's catalog fresh, as a [`RefreshPolicy`] says. Dropping it ends that.
///
/// `manual` and `ttl` have no thread: `ttl` is looked at when a turn begins. `poll` and `watch` have
/// one, which sleeps while there is nothing to do and is gone when the drop returns.
pub struct Refresher {
    schedule: Arc<Schedule>,
    driver: Option<Driver>,
}

impl Refresher {
    /// Begins to keep fresh a registry that has just taken its first scan.
    ///
    /// Watches are set up in the background. A source that cannot be watched is polled instead, with a
    /// diagnostic in the catalog; of one that has nothing to tell, polling is not worth a word.
    ///
    /// # Errors
    ///
    /// The policy wants a thread and the operating system has none left.
    pub fn start(
        registry: Arc<Registry>,
        policy: RefreshPolicy,
        clock: Arc<dyn Clock>,
    ) -> std::io::Result<Self> {
        let schedule = Arc::new(Schedule::new(registry, policy, clock));
        let driver = match policy.mode() {
            RefreshMode::Manual | RefreshMode::Ttl => None,
            RefreshMode::Poll | RefreshMode::Watch => Some(Driver::start(&schedule)?),
        };
        Ok(Self { schedule, driver })
    }

    /// Reloads if the policy is `ttl` and the last reload is old enough. A turn that begins while
    /// another reloads does not wait for it and takes the catalog that there is.
    ///
    /// Under each policy the turn waits until a folder's trust that was given or taken back has had its
    /// effect.
    pub fn turn_begins(&self) -> Option<Reload> {
        self.schedule.turn_begins()
    }

    /// Reloads unless the last reload is younger than the cool-down; `None` if it is.
    pub fn refresh(&self) -> Option<Reload> {
        self.schedule.reload_if_cooled_down()
    }

    /// Reloads, whenever the last reload was.
    pub fn reload(&self) -> Reload {
        self.reload_for(ReloadCause::Manual)
    }

    /// As [`Self::reload`], for another cause than a call of the host's.
    pub fn reload_for(&self, cause: ReloadCause) -> Reload {
        self.schedule.reload_for(cause)
    }

    /// Scans what is polled, if that is due by the clock. The thread does the same by itself; this is
    /// for a clock that does not go by itself, and for a host that has a loop of its own.
    pub fn poll_if_due(&self) -> Option<Reload> {
        self.schedule.poll_if_due().map(|outcome| {
            if let Some(driver) = &self.driver {
                driver.ask_again(outcome.unconfirmed);
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
