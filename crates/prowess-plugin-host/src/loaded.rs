//! A plugin that runs in this process.

use std::fmt;
use std::sync::Arc;

use prowess_core::{SkillSource, ToolProvider};
use prowess_plugin_abi::manifest::Manifest;

use crate::adapter::{LocalTool, PluginSource, PluginTools};
use crate::generation::{PluginSetup, Shared};
use crate::{LoadedCode, PluginError};

/// A plugin that runs in this process. Clones refer to the same plugin, which ends when all clones
/// and all its sources and tools are dropped.
#[derive(Clone)]
pub struct LoadedPlugin {
    shared: Arc<Shared>,
}

impl LoadedPlugin {
    /// Starts the plugin.
    ///
    /// # Errors
    ///
    /// Returns an error if the plugin refuses its configuration, fails, does not start in time, or
    /// offers invalid tools.
    pub fn start(code: LoadedCode, setup: PluginSetup) -> Result<Self, PluginError> {
        let shared = Shared::start(code, setup)?;
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Starts the plugin without timeouts: calls run on the caller's thread. For a plugin's
    /// process, which the host kills when a call times out.
    pub(crate) fn start_without_timeouts(
        code: LoadedCode,
        setup: PluginSetup,
    ) -> Result<Self, PluginError> {
        let shared = Shared::start(code, setup)?.without_timeouts();
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Returns the plugin's manifest.
    pub fn manifest(&self) -> Manifest {
        self.shared.state().code.manifest().clone()
    }

    /// Returns the plugin's sources. They remain valid after a replacement.
    pub fn sources(&self) -> Vec<Arc<dyn SkillSource>> {
        let source = |index| Arc::new(PluginSource::new(&self.shared, index)) as _;
        (0..self.shared.shape.sources.len()).map(source).collect()
    }

    /// Returns the plugin's tool providers. They remain valid after a replacement.
    pub fn tool_providers(&self) -> Vec<Arc<dyn ToolProvider>> {
        let provider = |index| Arc::new(PluginTools::new(&self.shared, index)) as _;
        (0..self.shared.shape.tools.len()).map(provider).collect()
    }

    /// Returns the tools of all providers.
    pub(crate) fn tools(&self) -> Vec<Arc<LocalTool>> {
        let providers = 0..self.shared.shape.tools.len();
        let tools = providers.map(|index| PluginTools::new(&self.shared, index));
        tools.flat_map(|provider| provider.of_plugin().to_vec()).collect()
    }

    /// Replaces this build of the plugin by another one. Running calls end on the old build.
    /// Watches report that everything may have changed.
    ///
    /// # Errors
    ///
    /// Returns an error if the new build does not start, offers other sources or tools, or the
    /// plugin was replaced too often. The old build keeps running.
    pub fn replace(&self, code: LoadedCode) -> Result<(), PluginError> {
        self.shared.replace(code)
    }

    /// Checks that the plugin may be replaced once more, before another build is opened.
    ///
    /// # Errors
    ///
    /// Returns an error if the plugin was replaced too often.
    pub fn check_replaceable(&self) -> Result<(), PluginError> {
        self.shared.check_generations(&self.shared.state())
    }
}

impl fmt::Debug for LoadedPlugin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("LoadedPlugin")
            .field("file", &self.shared.state().code.file())
            .finish_non_exhaustive()
    }
}
