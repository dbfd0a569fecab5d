//! How a plugin's own process is confined, as data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The sandbox around plugins in processes of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxPolicy {
    /// The most that this machine offers, and at least `floor`.
    #[default]
    Auto,
    /// Landlock, a system call filter, no capabilities and limits.
    Floor,
    /// The same in namespaces; without them the plugin is refused.
    Namespaces,
    /// Limits alone: the plugin has every right of the host's user.
    Off,
}

/// The rights of a plugin in a process of its own. Relative paths are relative to the host's
/// working directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PluginRights {
    /// Files and directories that it may read. By default, those that its configuration names.
    pub read: Option<Vec<PathBuf>>,
    /// Files and directories that it may write, create and remove. By default, none.
    pub write: Vec<PathBuf>,
    /// Programs that it may run. By default, none, and it may not start processes at all.
    pub run: Vec<PathBuf>,
    /// Whether it may use the network. By default, `false`.
    pub network: bool,
}
