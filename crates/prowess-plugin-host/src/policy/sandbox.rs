//! The confinement of a plugin's process.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The sandbox for plugins in separate processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxPolicy {
    /// The highest level that this machine offers, at least `floor`.
    #[default]
    Auto,
    /// Landlock, a system call filter, no capabilities, and resource limits.
    Floor,
    /// As `floor`, in namespaces. If the machine offers none, the plugin is refused.
    Namespaces,
    /// Only resource limits: the plugin has all rights of the host's user.
    Off,
}

/// The rights of a plugin in a separate process. Relative paths start at the host's working
/// directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PluginRights {
    /// The files and directories that it may read. By default, those that its configuration names.
    pub read: Option<Vec<PathBuf>>,
    /// The files and directories that it may write, create and remove. By default, none.
    pub write: Vec<PathBuf>,
    /// The programs that it may run. By default, none, and it may not start processes.
    pub run: Vec<PathBuf>,
    /// Whether it may use the network. By default, `false`.
    pub network: bool,
}
