//! The traits that an author implements.

use std::sync::Arc;

use prowess_core::{SkillSource, ToolProvider};
use serde::de::DeserializeOwned;

use crate::{Error, Host};

/// A plugin: makes instances of what it offers.
///
/// # Behavior
///
/// - `init` may be called several times, from any thread; what it gives shares nothing that one
///   instance could break for another.
/// - `init` returns soon: long work begins with the first call, or on a thread.
pub trait Plugin: 'static {
    /// The operator's configuration. `()` for a plugin that takes nothing. With no configuration at
    /// all, this is read from `null`, and if it does not take that, from `{}`.
    type Config: DeserializeOwned;

    /// Makes an instance.
    ///
    /// # Errors
    ///
    /// The configuration asks for what cannot be. The host shows the message and goes on without
    /// the plugin.
    fn init(host: Host, config: Self::Config) -> Result<Registration, Error>;
}

/// The sources and tools of an instance. By default, none.
#[derive(Default)]
pub struct Registration {
    pub(crate) sources: Vec<Arc<dyn SkillSource>>,
    pub(crate) tools: Vec<Arc<dyn ToolProvider>>,
}

impl Registration {
    /// Nothing yet.
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

    /// The sources, in the order in which they were added.
    pub fn sources(&self) -> &[Arc<dyn SkillSource>] {
        &self.sources
    }

    /// The tool providers, in the order in which they were added.
    pub fn tool_providers(&self) -> &[Arc<dyn ToolProvider>] {
        &self.tools
    }
}
