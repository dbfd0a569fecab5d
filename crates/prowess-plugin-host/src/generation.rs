//! A running plugin, its restarts and its replacement by other builds.
//!
//! Sources and tools remain the same objects when the instance is replaced. The replacement is
//! atomic: running calls keep the old instance, and the last of them drops it.

mod shared;

use std::sync::Arc;

use prowess_core::Clock;
use serde_json::Value;

use crate::{PluginLimits, PluginLog};

pub(crate) use shared::{CallContext, Shared};

/// The parameters of a plugin in this process.
#[derive(Clone)]
pub struct PluginSetup {
    /// The plugin's configuration; `Null` if there is none.
    pub config: Value,
    /// Limits on time and resources.
    pub limits: PluginLimits,
    /// The maximum number of replacements. The code of each build stays in memory.
    pub generations: usize,
    /// The clock for the plugin, and for the time window of restarts.
    pub clock: Arc<dyn Clock>,
    /// Receives the log lines and events of the plugin.
    pub log: Arc<dyn PluginLog>,
}
