//! A plugin inside its own process.

use std::fmt;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use prowess_core::{SkillSource, Tool};
use serde_json::Value;

use crate::PluginLimits;

/// The plugin that a process is to open.
#[derive(Debug)]
pub struct ChildRequest {
    /// The verified bytes.
    pub library: OwnedFd,
    /// The plugin's file as the operator knows it, for messages.
    pub file: PathBuf,
    /// The plugin's configuration.
    pub config: Option<Value>,
    /// Limits on time and resources. The host ends a process that takes too long.
    pub limits: PluginLimits,
}

/// The sources and tools of an opened plugin.
#[derive(Clone, Default)]
pub struct ChildPlugin {
    /// Its sources.
    pub sources: Vec<Arc<dyn SkillSource>>,
    /// Its tools.
    pub tools: Vec<Arc<dyn Tool>>,
}

impl fmt::Debug for ChildPlugin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sources: Vec<_> = self.sources.iter().map(|source| source.name()).collect();
        formatter.debug_struct("ChildPlugin").field("sources", &sources).finish_non_exhaustive()
    }
}
