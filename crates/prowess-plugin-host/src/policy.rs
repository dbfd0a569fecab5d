//! The policy of plugins, as data.

mod judge;
mod sandbox;

use std::collections::BTreeMap;
use std::path::PathBuf;

use prowess_plugin_abi::conversation::FEATURE;
use semver::Version;
use serde::{Deserialize, Serialize};

pub use judge::{abi, version};
pub use sandbox::{PluginRights, SandboxPolicy};

/// The boundary that this host speaks, major and minor.
pub const HOST_ABI: (u32, u32) = (prowess_plugin_abi::MAJOR, prowess_plugin_abi::MINOR);

/// The capabilities of this host beyond the minor version of the boundary, as words. A plugin that
/// knows a word may count on it: `caller`, the host names the caller of a tool; `conversation`, a
/// tool sees the catalog and the session that it is called in.
pub const HOST_FEATURES: [&str; 2] = ["caller", FEATURE];

/// The system libraries that a plugin built by rustc needs; the names hold no path, so each is the
/// system's own.
const SYSTEM_LIBRARIES: [&str; 10] = [
    "libc.so.6",
    "libm.so.6",
    "libgcc_s.so.1",
    "libdl.so.2",
    "libpthread.so.0",
    "librt.so.1",
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
    "ld-linux.so.2",
    "ld-linux-armhf.so.3",
];

/// The policy of plugins. Nothing runs that is not trusted as well; see
/// [`TrustStore`](crate::TrustStore).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PluginPolicy {
    /// Where plugins are looked for and taken from; absolute. By default nowhere: a file that the
    /// operator names is the only one.
    pub directories: Vec<PathBuf>,
    /// Where a plugin runs. By default `auto`.
    pub isolation: Isolation,
    /// How a plugin in a process of its own is confined. By default `auto`.
    pub sandbox: SandboxPolicy,
    /// The most bytes that a file may have. By default 256 MiB.
    pub max_bytes: u64,
    /// The libraries that a plugin may need. A digest does not cover them, so by default only those
    /// of the system that every Rust library needs.
    pub allowed_libraries: Vec<String>,
    /// The oldest version of a plugin that may run, by its name. By default any.
    pub minimum_versions: BTreeMap<String, Version>,
    /// The files that are loaded when the host begins; absolute. By default none.
    pub load: Vec<PathBuf>,
    /// Where the plugins lie that take the place of the sources that are linked into the host,
    /// under the names that their build gives them; absolute. By default nowhere: the linked ones
    /// are used.
    pub built_in: Option<PathBuf>,
    /// The configuration and the layer of each plugin, by its name.
    pub settings: BTreeMap<String, PluginSettings>,
    /// How long and how much.
    pub limits: PluginLimits,
    /// How many times one plugin may be replaced while the host runs; the code of each stays in
    /// memory. By default 20.
    pub generations: usize,
}

/// The configuration and the layer of one plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PluginSettings {
    /// The plugin's own configuration. By default none.
    pub config: Option<serde_json::Value>,
    /// The layer of its sources. By default `plugin` where there is such a layer, else the lowest.
    pub layer: Option<String>,
    /// Its rights in a process of its own. By default, it may read what its configuration
    /// names.
    pub rights: Option<PluginRights>,
}

impl PluginSettings {
    /// These, and where they say nothing, `usual`.
    pub(crate) fn over(self, usual: &Self) -> Self {
        Self {
            config: self.config.or_else(|| usual.config.clone()),
            layer: self.layer.or_else(|| usual.layer.clone()),
            rights: self.rights.or_else(|| usual.rights.clone()),
        }
    }
}

/// Where a plugin's code runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// In the host if it is pinned by its digest, unwinds on panics and is a release build;
    /// otherwise in a process of its own.
    #[default]
    Auto,
    /// Always in a process of its own.
    Process,
    /// Always in the host: fast, and a plugin that aborts takes the host along.
    InProcess,
}

/// How long a plugin may take, and how much it may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PluginLimits {
    /// Milliseconds to begin. By default 10,000.
    pub init_ms: u64,
    /// Milliseconds for a call. By default 30,000.
    pub call_ms: u64,
    /// Milliseconds that a call that was cancelled may still take. By default 1,000.
    pub grace_ms: u64,
    /// Calls at once. By default 8.
    pub calls_at_once: usize,
    /// The most bytes of one answer. By default 64 MiB.
    pub answer_bytes: usize,
    /// The address space of a plugin's own process in bytes. By default 2 GiB.
    pub address_space: u64,
    /// The files that a plugin's own process may have open. By default 256.
    pub open_files: u64,
    /// The threads and processes that a plugin's own process may have. By default 256.
    pub processes: u64,
    /// The most bytes of a file that a plugin's own process may write. By default 64 MiB.
    pub file_bytes: u64,
    /// Seconds of processor time after which a plugin's own process is replaced. By default 3,600.
    pub cpu_seconds: u64,
    /// How often a plugin that failed is begun again before it is left alone. By default 3.
    pub restarts: u32,
    /// Seconds after which a failure no longer counts. By default 600.
    pub restart_window_s: u64,
    /// Milliseconds to wait before the first new beginning; each further wait is twice as long. By
    /// default 100.
    pub restart_backoff_ms: u64,
}

/// Where a plugin that may run will run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// In the host.
    InProcess,
    /// In a process of its own.
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
        }
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
            address_space: 2 << 30,
            open_files: 256,
            processes: 256,
            file_bytes: 64 << 20,
            cpu_seconds: 3_600,
            restarts: 3,
            restart_window_s: 600,
            restart_backoff_ms: 100,
        }
    }
}
