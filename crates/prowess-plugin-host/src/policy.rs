//! The policy for plugins.

mod judge;
mod sandbox;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use prowess_core::HostCommands;
use prowess_plugin_abi::conversation::FEATURE;
use semver::Version;
use serde::{Deserialize, Serialize};

#[cfg(feature = "check")]
pub(crate) use judge::abi;
pub(crate) use judge::version;
pub use sandbox::{PluginRights, SandboxPolicy};

/// The major and minor version of the plugin ABI that this host supports.
pub const HOST_ABI: (u32, u32) = (prowess_plugin_abi::MAJOR, prowess_plugin_abi::MINOR);

/// The features of this host beyond the minor version of the ABI. `caller`: the host names the
/// caller of a tool. `conversation`: a tool has access to the catalog and the session of its call.
pub const HOST_FEATURES: [&str; 2] = ["caller", FEATURE];

/// The system libraries that plugins built by rustc need. A name without a path refers to the
/// system's library.
#[rustfmt::skip]
const SYSTEM_LIBRARIES: [&str; 10] = [
    "libc.so.6", "libm.so.6", "libgcc_s.so.1", "libdl.so.2", "libpthread.so.0", "librt.so.1",
    "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "ld-linux.so.2", "ld-linux-armhf.so.3",
];

/// The policy for plugins. A plugin must also be trusted, see [`TrustStore`](crate::TrustStore).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PluginPolicy {
    /// The plugin directories, as absolute paths. By default none: only files that the operator
    /// names are loaded.
    pub directories: Vec<PathBuf>,
    /// Where a plugin runs. By default `auto`.
    pub isolation: Isolation,
    /// How a plugin in a separate process is confined. By default `auto`.
    pub sandbox: SandboxPolicy,
    /// The maximum size of a file in bytes. By default 256 MiB. No key of a file: it protects the
    /// host.
    #[serde(skip)]
    pub max_bytes: u64,
    /// The libraries that a plugin may need. A digest does not cover them, so by default only those
    /// of the system that every Rust library needs. No key of a file: others are linked statically.
    #[serde(skip)]
    pub allowed_libraries: Vec<String>,
    /// The oldest version of a plugin that may run, by its name. By default any. No key of a file:
    /// trust in a file is by its digest, or by a key that can be revoked.
    #[serde(skip)]
    pub minimum_versions: BTreeMap<String, Version>,
    /// The files that are loaded when the host begins; absolute. By default none.
    pub load: Vec<PathBuf>,
    /// The absolute path of a directory with plugins that replace the host's built-in sources.
    /// Their file names are those of their builds. By default none: the built-in sources are used.
    /// No key of a file: a developer names it for one run.
    #[serde(skip)]
    pub built_in: Option<PathBuf>,
    /// The settings of each plugin, by name.
    pub settings: BTreeMap<String, PluginSettings>,
    /// Limits on time and resources. No key of a file: they protect the host.
    #[serde(skip)]
    pub limits: PluginLimits,
    /// The maximum number of replacements of a plugin in the host's process. The code of each build
    /// stays in memory. By default 20. No key of a file: it protects the host.
    #[serde(skip)]
    pub generations: usize,
    /// The words for what a person does in the host. No key of a file: the host has them.
    #[serde(skip)]
    pub commands: HostCommands,
}

/// The settings of one plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PluginSettings {
    /// The plugin's configuration. By default none.
    pub config: Option<serde_json::Value>,
    /// The layer of its sources. By default `plugin` if there is such a layer, otherwise the
    /// lowest.
    pub layer: Option<String>,
    /// The plugin's rights in a separate process. By default, it may read the files and directories
    /// that its configuration names.
    pub rights: Option<PluginRights>,
}

impl PluginSettings {
    /// Returns these settings, with missing ones taken from `defaults`.
    pub(crate) fn or(self, defaults: &Self) -> Self {
        Self {
            config: self.config.or_else(|| defaults.config.clone()),
            layer: self.layer.or_else(|| defaults.layer.clone()),
            rights: self.rights.or_else(|| defaults.rights.clone()),
        }
    }
}

/// Where a plugin's code runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// In the host's process if the plugin is pinned by its digest, unwinds on panics and is a
    /// release build; otherwise in a separate process.
    #[default]
    Auto,
    /// Always in a separate process.
    Process,
    /// Always in the host's process. This is fast, but a plugin that aborts ends the host.
    InProcess,
}

/// Limits on the time and the resources of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PluginLimits {
    /// The time limit for starting the plugin, in milliseconds. By default 10,000.
    pub init_ms: u64,
    /// The time limit of a call in milliseconds. By default 30,000. A command waits a sixth of it
    /// for the skills of a slow source.
    pub call_ms: u64,
    /// The time that a cancelled call may still take, in milliseconds. By default 1,000.
    pub grace_ms: u64,
    /// The maximum number of concurrent calls. By default 8.
    pub calls_at_once: usize,
    /// The maximum size of an answer in bytes. By default 64 MiB.
    pub answer_bytes: usize,
}

/// The process in which a plugin runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// The host's process.
    InProcess,
    /// A separate process.
    Process,
}

impl Default for PluginPolicy {
    fn default() -> Self {
        Self {
            directories: Vec::new(),
            isolation: Isolation::default(),
            sandbox: SandboxPolicy::default(),
            max_bytes: 256 << 20,
            allowed_libraries: SYSTEM_LIBRARIES.map(str::to_owned).into(),
            minimum_versions: BTreeMap::new(),
            load: Vec::new(),
            built_in: None,
            settings: BTreeMap::new(),
            limits: PluginLimits::default(),
            generations: 20,
            commands: HostCommands::default(),
        }
    }
}

impl PluginLimits {
    /// Returns how long the first catalog waits for a source.
    pub(crate) fn patience(&self) -> Duration {
        Duration::from_millis(self.call_ms) / 6
    }
}

impl Default for PluginLimits {
    fn default() -> Self {
        Self {
            init_ms: 10_000,
            call_ms: 30_000,
            grace_ms: 1_000,
            calls_at_once: 8,
            answer_bytes: 64 << 20,
        }
    }
}
