//! The words of a configuration file about when to reload.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// When the catalog is brought up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RefreshPolicy {
    /// What sets a reload off. By default the host decides: a library does nothing by itself, a server
    /// watches.
    pub mode: Option<RefreshMode>,
    /// How old the last reload may be when a turn begins, in seconds. By default 300. For `ttl`.
    pub ttl_seconds: u64,
    /// How long after a reload a further one is not made unless it is forced, in seconds. By default
    /// 60. For every mode; what a poll or a watch looks at by itself is neither held back nor counted.
    pub cool_down_seconds: u64,
    /// How long after a scan the next one is made, in seconds, at least 1. By default 5. For `poll`, and
    /// under `watch` for what cannot be watched.
    pub poll_seconds: u64,
    /// How long the text of a skill that was loaded is kept for the next who loads it, in seconds; sooner
    /// another version is found. By default 0: it is read each time, which costs a few microseconds where
    /// the disk is near.
    pub body_seconds: u64,
}

/// What sets a reload off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RefreshMode {
    /// The host alone.
    #[default]
    Manual,
    /// A turn that begins when the last reload is too old.
    Ttl,
    /// Time. A source that reads nothing of what has not changed, such as a directory tree, is only
    /// asked for stamps.
    Poll,
    /// Word from the sources.
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
    /// The mode, `manual` unless one was chosen.
    pub fn mode(&self) -> RefreshMode {
        self.mode.unwrap_or_default()
    }

    /// How long texts are kept; not at all by default.
    pub fn body_age(&self) -> Duration {
        Duration::from_secs(self.body_seconds)
    }

    pub(super) fn ttl(&self) -> Duration {
        Duration::from_secs(self.ttl_seconds)
    }

    pub(super) fn cool_down(&self) -> Duration {
        Duration::from_secs(self.cool_down_seconds)
    }

    /// Never nothing, which would be a thread that never sleeps.
    pub(super) fn poll(&self) -> Duration {
        Duration::from_secs(self.poll_seconds.max(1))
    }
}
