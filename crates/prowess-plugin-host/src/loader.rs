//! The loader of plugins.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use prowess_core::{AuditSink, Clock};

use crate::{PluginLog, PluginPolicy, TrustStore};

/// Loads plugins for a host.
pub struct PluginLoader {
    /// The policy of plugins.
    pub policy: PluginPolicy,
    /// The operator's trust.
    pub trust: TrustStore,
    /// Where bytes are put if they cannot be kept in memory: a directory that programs may run
    /// from.
    pub staging: PathBuf,
    /// The program of a plugin's own process, such as `prowess-plugin-runner`: one that calls
    /// [`run_process`](crate::run_process).
    pub runner: PathBuf,
    /// Its arguments.
    pub runner_arguments: Vec<OsString>,
    /// Measures deadlines, and the time between failures.
    pub clock: Arc<dyn Clock>,
    /// Receives the messages of plugins in this process; [`Self::runner`] handles those of others.
    pub log: Arc<dyn PluginLog>,
    /// Receives an event for each plugin that is opened, rejected or replaced, or that fails.
    pub audit: Arc<dyn AuditSink>,
}
