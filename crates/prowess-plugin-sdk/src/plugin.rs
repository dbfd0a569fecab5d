//! The trait that an author implements.

use std::sync::Arc;

use prowess_core::{SkillSource, ToolProvider};
use serde::de::DeserializeOwned;

use crate::{Error, Host};

/// A plugin, which creates instances of its sources and tools.
///
/// # Behavior
///
/// - `init` may be called several times, from any thread. Instances do not share state by which one
///   could break another.
/// - `init` returns quickly. Long work is started by the first call, or on a thread.
pub trait Plugin: 'static {
    /// The type of the operator's configuration; `()` if there is none. A missing configuration is
    /// deserialized from `null`, or from `{}` if that fails.
    type Config: DeserializeOwned;

    /// Creates an instance.
    ///
    /// # Errors
    ///
    /// Returns an error if the configuration is invalid or the instance cannot be created. The host
    /// shows the message, and runs without the plugin.
    fn init(host: Host, config: Self::Config) -> Result<Registration, Error>;
}

/// The sources and tools of an instance. By default, none.
#[derive(Default)]
pub struct Registration {
    pub(crate) sources: Vec<Arc<dyn SkillSource>>,
    pub(crate) tools: Vec<Arc<dyn ToolProvider>>,
}

impl Registration {
    /// Creates an empty registration.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a source.
    #[must_use]
    pub fn source(mut self, source: impl SkillSource + 'static) -> Self {
        self.sources.push(Arc::new(source));
        self
    }

    /// Adds a tool provider.
    #[must_use]
    pub fn tools(mut self, provider: impl ToolProvider + 'static) -> Self {
        self.tools.push(Arc::new(provider));
        self
    }

    /// Returns the sources, in the order in which they were added.
    pub fn sources(&self) -> &[Arc<dyn SkillSource>] {
        &self.sources
    }

    /// Returns the tool providers, in the order in which they were added.
    pub fn tool_providers(&self) -> &[Arc<dyn ToolProvider>] {
        &self.tools
    }
}
