//! Whether a plugin fits this host and its policy, and where it runs.

use std::path::Path;

use prowess_plugin_abi::manifest::PanicStrategy;
use prowess_text::quoted;
use semver::Version;

use super::{HOST_ABI, Isolation, Placement, PluginPolicy};
use crate::inspect::wrong_target;
use crate::{Inspection, PluginError, PluginErrorKind, Target};

impl PluginPolicy {
    /// Whether a plugin that says this of itself may run on this host, trust aside.
    ///
    /// # Errors
    ///
    /// It is for another system, needs a boundary or libraries that it does not get here, or is
    /// older than the policy allows.
    pub fn judge(&self, file: &Path, inspection: &Inspection) -> Result<(), PluginError> {
        if inspection.library.target != Target::of_this_host() {
            return Err(wrong_target(file, &inspection.library.target));
        }
        abi(file, inspection)?;
        self.linkage(file, inspection)?;
        self.version(file, inspection)
    }

    /// Where a plugin runs that may run. `is_pinned` says that its very digest is trusted, and not
    /// only a key that signs many.
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

    /// Whether the libraries that a plugin needs are allowed.
    ///
    /// # Errors
    ///
    /// It needs others, or changes where the system's loader finds them.
    pub fn linkage(&self, file: &Path, inspection: &Inspection) -> Result<(), PluginError> {
        let linkage = &inspection.library.linkage;
        let is_foreign = |name: &&String| !self.allowed_libraries.contains(name);
        let foreign: Vec<_> =
            linkage.needed.iter().filter(is_foreign).map(|name| quoted(name)).collect();
        let quote =
            |names: &[String]| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
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

/// Returns the version of a plugin as its manifest has it.
///
/// # Errors
///
/// It is not a semantic version.
pub fn version(file: &Path, inspection: &Inspection) -> Result<Version, PluginError> {
    let manifest = &inspection.manifest;
    manifest.version.parse().map_err(|error| {
        let reason = format!("has the version `{}`, which is none: {error}", manifest.version);
        let help = "ask its author for a version such as `1.2.3`";
        PluginError::refused(PluginErrorKind::Manifest, file, reason, help)
    })
}

/// Checks that the host speaks the major version of the boundary that the plugin was built with.
///
/// # Errors
///
/// It does not.
pub fn abi(file: &Path, inspection: &Inspection) -> Result<(), PluginError> {
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
