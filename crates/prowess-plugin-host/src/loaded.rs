//! A plugin that runs in this process, as its host holds it.

use std::fmt;
use std::sync::Arc;

use prowess_core::{SkillSource, ToolProvider};
use prowess_plugin_abi::manifest::Manifest;

use crate::adapter::{PluginSource, PluginTool, PluginTools};
use crate::generation::{PluginSetup, PluginStatus, Shared};
use crate::{LoadedCode, PluginError};

/// A plugin that runs in this process. Clones are the same plugin; when the last of them and the
/// last source and tool of it are gone, it ends.
#[derive(Clone)]
pub struct LoadedPlugin {
    shared: Arc<Shared>,
}

impl LoadedPlugin {
    /// Begins an instance of the plugin.
    ///
    /// # Errors
    ///
    /// It refuses its configuration, fails, or does not begin in time; what it offers is not
    /// usable.
    pub fn start(image: LoadedCode, setup: PluginSetup) -> Result<Self, PluginError> {
        let shared = Shared::start(image, setup)?;
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Begins an instance as [`Self::start`] does, for a host that ends its own process when a call
    /// does not return: calls run on the caller's thread, without a deadline of their own.
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

    /// Returns the tools of all providers.
    pub(crate) fn tools(&self) -> Vec<Arc<PluginTool>> {
        let providers = 0..self.shared.shape.tools.len();
        let tools = providers.map(|index| PluginTools::new(&self.shared, index));
        tools.flat_map(|provider| provider.of_plugin().to_vec()).collect()
    }

    /// Replaces this build of the plugin by another one. Calls that are running end on the old
    /// build. Watchers are notified that everything may have changed.
    ///
    /// # Errors
    ///
    /// The new one does not begin, offers something else, or there were too many already: the old
    /// one goes on.
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
