//! Time, as the host provides it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A point in time: milliseconds since 1970-01-01T00:00:00Z.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// Returns the time from `earlier` to this; zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

/// A time that `jiff` cannot represent, after the year 9999, is the last one that it can.
#[cfg(feature = "jiff")]
impl From<Timestamp> for jiff::Timestamp {
    fn from(time: Timestamp) -> Self {
        let milliseconds = i64::try_from(time.0).unwrap_or(i64::MAX);
        Self::from_millisecond(milliseconds).unwrap_or(Self::MAX)
    }
}

/// The clock of the runtime. The library crates never read the system's clock themselves.
///
/// # Behavior
///
/// - `elapsed` never decreases.
/// - Both methods may be called from any thread at any time.
pub trait Clock: Send + Sync {
    /// Returns the time of day, for receipts, expiry and the audit.
    fn now(&self) -> Timestamp;

    /// Returns the time since some fixed moment, for durations.
    fn elapsed(&self) -> Duration;
}
