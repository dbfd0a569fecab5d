//! A plugin that runs: its generations and what happens when one fails.
//!
//! Sources and tools keep their identity over all instances. An instance is replaced in one swap: calls
//! that are under way keep the one that they began with, and the last of them drops it.

mod shared;

use std::fmt;
use std::sync::Arc;

use prowess_core::{Clock, SkillSource, ToolProvider};
use prowess_plugin_abi::manifest::Manifest;
use serde_json::Value;

use crate::adapter::{PluginSource, PluginTools};
use crate::{LoadedCode, PluginError, PluginLimits, PluginLog};

pub(crate) use shared::{CallContext, Shared};

/// What a plugin runs with.
#[derive(Clone)]
pub struct PluginSetup {
    /// What the operator configured for it; `Null` if nothing.
    pub config: Value,
    /// How long and how much.
    pub limits: PluginLimits,
    /// How many times it may be replaced; each leaves its code in memory.
    pub generations: usize,
    /// The time that the plugin sees, and by which failures are counted.
    pub clock: Arc<dyn Clock>,
    /// Hears what the plugin has to say.
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

/// A plugin that runs in this process. Clones are the same plugin; when the last of them and the last
/// source and tool of it are gone, it ends.
#[derive(Clone)]
pub struct LoadedPlugin {
    shared: Arc<Shared>,
}

impl LoadedPlugin {
    /// Begins an instance of the plugin.
    ///
    /// # Errors
    ///
    /// It refuses its configuration, fails, or does not begin in time; what it offers is not usable.
    pub fn start(image: LoadedCode, setup: PluginSetup) -> Result<Self, PluginError> {
        let shared = Shared::start(image, setup)?;
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Begins an instance as [`Self::start`] does, for a host that ends its own process when a call does
    /// not return: calls run on the caller's thread, without a deadline of their own.
    pub(crate) fn start_unwatched(
        image: LoadedCode,
        setup: PluginSetup,
    ) -> Result<Self, PluginError> {
        let shared = Shared::start(image, setup)?.without_deadlines();
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Returns the plugin's manifest.
    pub fn manifest(&self) -> Manifest {
        self.shared.state().image.manifest().clone()
    }

    /// Its sources. They stay the same over all generations.
    pub fn sources(&self) -> Vec<Arc<dyn SkillSource>> {
        let source = |index| Arc::new(PluginSource::new(&self.shared, index)) as _;
        (0..self.shared.shape.sources.len()).map(source).collect()
    }

    /// Its tool providers. They stay the same over all generations.
    pub fn tool_providers(&self) -> Vec<Arc<dyn ToolProvider>> {
        let provider = |index| Arc::new(PluginTools::new(&self.shared, index)) as _;
        (0..self.shared.shape.tools.len()).map(provider).collect()
    }

    /// Puts another build of the plugin in the place of this one. Calls that are under way end on the old
    /// one. Whoever watches hears that everything may have changed.
    ///
    /// # Errors
    ///
    /// The new one does not begin, offers something else, or there were too many already: the old one
    /// goes on.
    pub fn replace(&self, image: LoadedCode) -> Result<(), PluginError> {
        self.shared.replace(image)
    }

    /// Whether there is room for another build, to ask before one is opened.
    ///
    /// # Errors
    ///
    /// It was replaced too often.
    pub fn may_be_replaced(&self) -> Result<(), PluginError> {
        self.shared.has_room(&self.shared.state())
    }

    /// Which build runs: 0 for the first, and one more each time that it was replaced.
    pub fn generation(&self) -> usize {
        self.shared.state().generation
    }

    /// How it does.
    pub fn status(&self) -> PluginStatus {
        self.shared.status()
    }
}

impl fmt::Debug for LoadedPlugin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("LoadedPlugin")
            .field("file", &self.shared.state().image.file())
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}
