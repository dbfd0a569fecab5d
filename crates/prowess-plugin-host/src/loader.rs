//! The parameters for loading plugins.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use prowess_core::{AuditSink, Clock};

use crate::{PluginLog, PluginPolicy, TrustStore};

/// Loads plugins for a host.
pub struct PluginLoader {
    /// The policy for plugins.
    pub policy: PluginPolicy,
    /// The plugins and keys that the operator trusts.
    pub trust: TrustStore,
    /// The directory for libraries that cannot be kept in memory. Its file system must allow
    /// programs to run.
    pub staging: PathBuf,
    /// The program that runs plugins in separate processes, such as `prowess-plugin-runner`. It
    /// calls [`run_process`](crate::run_process).
    pub runner: PathBuf,
    /// The arguments of that program.
    pub runner_arguments: Vec<OsString>,
    /// Measures timeouts and the time between failures.
    pub clock: Arc<dyn Clock>,
    /// Receives the messages of plugins in this process. Those of plugins in separate processes are
    /// handled by [`Self::runner`].
    pub log: Arc<dyn PluginLog>,
    /// Receives an event for each plugin that is opened, rejected or replaced, or that fails.
    pub audit: Arc<dyn AuditSink>,
}
