//! The plugin of a plugin's process.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use prowess_core::SkillSource;
use serde_json::Value;

use crate::PluginLimits;
use crate::adapter::LocalTool;

/// A request to open a plugin in this process.
#[derive(Debug)]
pub(crate) struct ChildRequest {
    /// The verified library.
    pub(crate) library: OwnedFd,
    /// The plugin's file as the operator named it, for messages.
    pub(crate) file: PathBuf,
    /// The plugin's configuration.
    pub(crate) config: Option<Value>,
    /// Limits on time and resources. The host enforces the timeouts.
    pub(crate) limits: PluginLimits,
}

/// The sources and tools of an opened plugin.
pub(crate) struct ChildPlugin {
    /// The plugin's sources.
    pub(crate) sources: Vec<Arc<dyn SkillSource>>,
    /// The plugin's tools.
    pub(crate) tools: Vec<Arc<LocalTool>>,
}
