//! Time as a value that the host hands in.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A point in time: milliseconds since 1970-01-01T00:00:00Z.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// How long after `earlier` this is; zero if it is not after it.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

/// Where the runtime learns the time. Nothing in the library crates reads the system's clock itself.
///
/// # Behavior
///
/// - `elapsed` never goes back.
/// - Both may be called from any thread at any time.
pub trait Clock: Send + Sync {
    /// The time of day, for receipts, expiry and the audit.
    fn now(&self) -> Timestamp;

    /// Time since some fixed moment, for durations.
    fn elapsed(&self) -> Duration;
}
