//! A plugin that runs: its generations and what happens when one fails.
//!
//! Sources and tools keep their identity over all instances. An instance is replaced in one swap:
//! calls that are under way keep the one that they began with, and the last of them drops it.

mod shared;

use std::sync::Arc;

use prowess_core::Clock;
use serde_json::Value;

use crate::{PluginLimits, PluginLog};

pub(crate) use shared::{CallContext, Shared};

/// The setup that a plugin runs with.
#[derive(Clone)]
pub struct PluginSetup {
    /// The operator's configuration of it; `Null` if there is none.
    pub config: Value,
    /// How long and how much.
    pub limits: PluginLimits,
    /// How many times it may be replaced; each leaves its code in memory.
    pub generations: usize,
    /// The time that the plugin sees, and by which failures are counted.
    pub clock: Arc<dyn Clock>,
    /// Receives the log lines and events of the plugin.
    pub log: Arc<dyn PluginLog>,
}

/// How a plugin does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PluginStatus {
    /// It answers.
    Running,
    /// It panicked; the next call begins it again.
    Failed,
    /// It failed too often and is left alone until it is replaced.
    Quarantined,
    /// So many calls do not return, and as many more are possible before it is stuck.
    Slow {
        /// The calls that were given up.
        lost: usize,
    },
    /// No call returns, and none begins any more.
    Stuck,
}
