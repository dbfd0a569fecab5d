//! Which plugins may run, and how, as data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use prowess_plugin_abi::manifest::PanicStrategy;
use semver::Version;
use serde::{Deserialize, Serialize};

use crate::inspect::wrong_target;
use crate::{Inspection, PluginError, PluginErrorKind, Target};

/// The boundary that this host speaks, major and minor.
pub const HOST_ABI: (u32, u32) = (1, 0);

/// What a plugin built by rustc needs of the system; the names hold no path, so each is the system's own.
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

/// Which plugins may run, and how. Nothing runs that is not trusted as well; see
/// [`TrustStore`](crate::TrustStore).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PluginPolicy {
    /// Where plugins are looked for and taken from; absolute. By default nowhere: a file that the
    /// operator names is the only one.
    pub directories: Vec<PathBuf>,
    /// Where a plugin runs. By default `auto`.
    pub isolation: Isolation,
    /// The most bytes that a file may have. By default 256 MiB.
    pub max_bytes: u64,
    /// The libraries that a plugin may need. A digest does not cover them, so by default only those of
    /// the system that every Rust library needs.
    pub allowed_libraries: Vec<String>,
    /// The oldest version of a plugin that may run, by its name. By default any.
    pub minimum_versions: BTreeMap<String, Version>,
    /// The files that are loaded when the host begins; absolute. By default none.
    pub load: Vec<PathBuf>,
    /// Where the plugins lie that take the place of the sources that are linked into the host, under the
    /// names that their build gives them; absolute. By default nowhere: the linked ones are used.
    pub built_in: Option<PathBuf>,
    /// What a plugin is told and where its skills go, by its name.
    pub settings: BTreeMap<String, PluginSettings>,
    /// How long and how much.
    pub limits: PluginLimits,
    /// How many times one plugin may be replaced while the host runs; the code of each stays in memory.
    /// By default 20.
    pub generations: usize,
}

/// What one plugin is told, and where its skills go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PluginSettings {
    /// The plugin's own configuration. By default none.
    pub config: Option<serde_json::Value>,
    /// The layer of its sources. By default the lowest.
    pub layer: Option<String>,
}

impl PluginSettings {
    /// These, and where they say nothing, `usual`.
    pub(crate) fn over(self, usual: &Self) -> Self {
        Self {
            config: self.config.or_else(|| usual.config.clone()),
            layer: self.layer.or_else(|| usual.layer.clone()),
        }
    }
}

/// Where a plugin's code runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// In the host if it is pinned by its digest, unwinds on panics and is a release build; otherwise in
    /// a process of its own.
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
            restarts: 3,
            restart_window_s: 600,
            restart_backoff_ms: 100,
        }
    }
}

impl PluginPolicy {
    /// Whether a plugin that says this of itself may run on this host, trust aside.
    ///
    /// # Errors
    ///
    /// It is for another system, needs a boundary or libraries that it does not get here, or is older
    /// than the policy allows.
    pub fn judge(&self, file: &Path, inspection: &Inspection) -> Result<(), PluginError> {
        if inspection.library.target != Target::of_this_host() {
            return Err(wrong_target(file, &inspection.library.target));
        }
        abi(file, inspection)?;
        self.linkage(file, inspection)?;
        self.version(file, inspection)
    }

    /// Where a plugin runs that may run. `is_pinned` says that its very digest is trusted, and not only
    /// a key that signs many.
    ///
    /// # Errors
    ///
    /// The policy wants it in the host, and it would end the host where it should report an error.
    pub fn placement(
        &self,
        file: &Path,
        inspection: &Inspection,
        is_pinned: bool,
    ) -> Result<Placement, PluginError> {
        let manifest = &inspection.manifest;
        let unwinds = manifest.panic == PanicStrategy::Unwind;
        match self.isolation {
            Isolation::InProcess if !unwinds => {
                let reason = "was built with `panic = \"abort\"`, which would end this program";
                let help = "build it with `panic = \"unwind\"`, or set the isolation to `process`";
                Err(PluginError::refused(PluginErrorKind::PanicStrategy, file, reason, help))
            }
            Isolation::InProcess => Ok(Placement::InProcess),
            Isolation::Auto if is_pinned && unwinds && !manifest.debug_assertions => {
                Ok(Placement::InProcess)
            }
            Isolation::Auto | Isolation::Process => Ok(Placement::Process),
        }
    }

    pub(crate) fn linkage(&self, file: &Path, inspection: &Inspection) -> Result<(), PluginError> {
        let linkage = &inspection.library.linkage;
        let is_foreign = |name: &&String| !self.allowed_libraries.contains(name);
        let foreign: Vec<_> = linkage.needed.iter().filter(is_foreign).map(quoted).collect();
        let quote = |names: &[String]| names.iter().map(quoted).collect::<Vec<_>>().join(", ");
        let (reason, help) = if !foreign.is_empty() {
            let help = "link it statically, or add its name to the policy's `allowed_libraries`";
            (format!("needs the library {}, which is not allowed", foreign.join(", ")), help)
        } else if !linkage.search_paths.is_empty() {
            let paths = quote(&linkage.search_paths);
            let help = "build it without `-rpath`";
            (format!("tells the loader to look for libraries in {paths}"), help)
        } else if !linkage.redirects.is_empty() {
            let names = quote(&linkage.redirects);
            (format!("tells the loader to open {names} in its place"), "build it without filters")
        } else if linkage.has_text_relocations {
            let reason = "has code that must be written to while it is loaded (text relocations)";
            (reason.to_owned(), "build it with position-independent code (`-fPIC`)")
        } else {
            return Ok(());
        };
        Err(PluginError::refused(PluginErrorKind::Linkage, file, reason, help))
    }

    fn version(&self, file: &Path, inspection: &Inspection) -> Result<(), PluginError> {
        let manifest = &inspection.manifest;
        let own = version(file, inspection)?;
        match self.minimum_versions.get(&manifest.name) {
            Some(minimum) if own < *minimum => {
                let reason = format!(
                    "is version {own} of `{}`, and the policy asks for {minimum} or later",
                    manifest.name
                );
                let help = "install a newer version, or lower `minimum_versions` in the policy";
                Err(PluginError::refused(PluginErrorKind::Rollback, file, reason, help))
            }
            _ => Ok(()),
        }
    }
}

/// The version of a plugin as its manifest has it.
pub(crate) fn version(file: &Path, inspection: &Inspection) -> Result<Version, PluginError> {
    let manifest = &inspection.manifest;
    manifest.version.parse().map_err(|error| {
        let reason = format!("has the version `{}`, which is none: {error}", manifest.version);
        let help = "ask its author for a version such as `1.2.3`";
        PluginError::refused(PluginErrorKind::Manifest, file, reason, help)
    })
}

pub(crate) fn abi(file: &Path, inspection: &Inspection) -> Result<(), PluginError> {
    let manifest = &inspection.manifest;
    let (major, minor) = HOST_ABI;
    match manifest.abi_version() {
        Some((own, _)) if own == major => Ok(()),
        _ => {
            let reason =
                format!("needs plugin ABI {}, and this host speaks {major}.{minor}", manifest.abi);
            let help = format!(
                "get a build of `{}` for ABI {major}, or another version of this program",
                manifest.name
            );
            Err(PluginError::refused(PluginErrorKind::Abi, file, reason, help))
        }
    }
}

fn quoted(name: &String) -> String {
    format!("`{name}`")
}
