//! The refresh policy.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The policy that decides when to reload the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RefreshPolicy {
    /// The trigger of reloads. By default, the host decides: a library does nothing by itself, and
    /// a server watches.
    pub mode: Option<RefreshMode>,
    /// The maximum age of the last reload at the start of a turn, in seconds, if that is not less
    /// than [`Self::cool_down_seconds`]. By default 300. For `ttl`.
    pub ttl_seconds: u64,
    /// The minimum time between two reloads unless forced, in seconds. By default 60. For every
    /// mode; reloads by a poll or a watch are neither delayed nor counted.
    pub cool_down_seconds: u64,
    /// The interval of scans, in seconds, at least 1. By default 5. For `poll`, and under `watch`
    /// for sources that cannot be watched.
    pub poll_seconds: u64,
    /// The time for which loaded bodies are cached, in seconds, unless another version is found. By
    /// default 0: each load reads the file, which takes a few microseconds on a local disk.
    pub body_seconds: u64,
}

/// The trigger of reloads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RefreshMode {
    /// The host only.
    #[default]
    Manual,
    /// The start of a turn, if the last reload is too old.
    Ttl,
    /// A timer. A source that does not read unchanged files, such as a directory tree, only
    /// compares stamps.
    Poll,
    /// Reports of changes from the sources.
    Watch,
}

impl Default for RefreshPolicy {
    fn default() -> Self {
        Self {
            mode: None,
            ttl_seconds: 300,
            cool_down_seconds: 60,
            poll_seconds: 5,
            body_seconds: 0,
        }
    }
}

impl RefreshPolicy {
    /// Returns the mode, by default `manual`.
    pub fn mode(&self) -> RefreshMode {
        self.mode.unwrap_or_default()
    }

    /// Returns the time for which bodies are cached; zero by default.
    pub fn body_age(&self) -> Duration {
        Duration::from_secs(self.body_seconds)
    }

    /// Returns the age of the last reload from which on the start of a turn reloads, for `ttl`.
    pub fn ttl(&self) -> Duration {
        Duration::from_secs(self.ttl_seconds).max(self.cool_down())
    }

    pub(super) fn cool_down(&self) -> Duration {
        Duration::from_secs(self.cool_down_seconds)
    }

    /// Returns the interval of polls, which is never zero to prevent a busy loop.
    pub(super) fn poll(&self) -> Duration {
        Duration::from_secs(self.poll_seconds.max(1))
    }
}
