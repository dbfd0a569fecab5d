//! A plugin inside its own process.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use prowess_core::SkillSource;
use serde_json::Value;

use crate::PluginLimits;
use crate::adapter::PluginTool;

/// The plugin that a process is to open.
#[derive(Debug)]
pub(crate) struct ChildRequest {
    /// The verified bytes.
    pub(crate) library: OwnedFd,
    /// The plugin's file as the operator knows it, for messages.
    pub(crate) file: PathBuf,
    /// The plugin's configuration.
    pub(crate) config: Option<Value>,
    /// Limits on time and resources. The host ends a process that takes too long.
    pub(crate) limits: PluginLimits,
}

/// The sources and tools of an opened plugin.
pub(crate) struct ChildPlugin {
    /// Its sources.
    pub(crate) sources: Vec<Arc<dyn SkillSource>>,
    /// Its tools.
    pub(crate) tools: Vec<Arc<PluginTool>>,
}
