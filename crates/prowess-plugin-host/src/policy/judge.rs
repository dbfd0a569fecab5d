//! Checks whether a plugin fits this host and its policy, and decides where it runs.

use std::path::Path;

use prowess_plugin_abi::manifest::PanicStrategy;
use prowess_text::quoted;
use semver::Version;

use super::{HOST_ABI, Isolation, Placement, PluginPolicy};
use crate::inspect::wrong_target;
use crate::{Inspection, PluginError, PluginErrorKind, Target};

impl PluginPolicy {
    /// Checks whether this host and this policy allow a plugin. Trust is checked separately.
    ///
    /// # Errors
    ///
    /// Returns an error if the plugin was built for another system or ABI, needs libraries that are
    /// not allowed, or is older than the policy allows.
    pub fn judge(&self, file: &Path, inspection: &Inspection) -> Result<(), PluginError> {
        if inspection.library.target != Target::of_this_host() {
            return Err(wrong_target(file, &inspection.library.target));
        }
        abi(file, inspection)?;
        self.linkage(file, inspection)?;
        self.version(file, inspection)
    }

    /// Decides where a plugin runs. `is_pinned` means that its digest is trusted, rather than a
    /// signing key.
    ///
    /// # Errors
    ///
    /// Returns an error if the policy requires the host's process and a panic of the plugin would
    /// end the host.
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

    /// Checks the libraries that a plugin needs.
    ///
    /// # Errors
    ///
    /// Returns an error if it needs a library that is not allowed, or changes how the system's
    /// loader finds libraries.
    pub fn linkage(&self, file: &Path, inspection: &Inspection) -> Result<(), PluginError> {
        let linkage = &inspection.library.linkage;
        let is_foreign = |name: &&String| !self.allowed_libraries.contains(name);
        let foreign: Vec<_> =
            linkage.needed.iter().filter(is_foreign).map(|name| quoted(name)).collect();
        let quote =
            |names: &[String]| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
        let (reason, help) = if !foreign.is_empty() {
            let help = "link it statically";
            (format!("needs the library {}, which is not allowed", foreign.join(", ")), help)
        } else if !linkage.search_paths.is_empty() {
            let paths = quote(&linkage.search_paths);
            let help = "build it without `-rpath`";
            (
                format!(
                    "adds {paths} to the directories in which the loader searches for libraries"
                ),
                help,
            )
        } else if !linkage.redirects.is_empty() {
            let names = quote(&linkage.redirects);
            (format!("makes the loader open {names} instead of it"), "build it without filters")
        } else if linkage.has_text_relocations {
            let reason = "has code that is modified while it is loaded (text relocations)";
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
                    "is version {own} of `{}`, but the policy requires {minimum} or later",
                    manifest.name
                );
                let help = "install a newer version, or lower `minimum_versions` in the policy";
                Err(PluginError::refused(PluginErrorKind::Rollback, file, reason, help))
            }
            _ => Ok(()),
        }
    }
}

/// Returns the version in a plugin's manifest. Returns an error if it is not a semantic version.
pub(crate) fn version(file: &Path, inspection: &Inspection) -> Result<Version, PluginError> {
    let manifest = &inspection.manifest;
    manifest.version.parse().map_err(|error| {
        let reason = format!("has an invalid version `{}`: {error}", manifest.version);
        let help = "ask its author for a version such as `1.2.3`";
        PluginError::refused(PluginErrorKind::Manifest, file, reason, help)
    })
}

/// Checks that the host supports the major version of the plugin's ABI. Returns an error with both
/// versions if it does not.
pub(crate) fn abi(file: &Path, inspection: &Inspection) -> Result<(), PluginError> {
    let manifest = &inspection.manifest;
    let (major, minor) = HOST_ABI;
    match manifest.abi_version() {
        Some((own, _)) if own == major => Ok(()),
        _ => {
            let reason = format!(
                "needs plugin ABI {}, but this host supports {major}.{minor}",
                manifest.abi
            );
            let help = format!(
                "get a build of `{}` for ABI {major}, or another version of this program",
                manifest.name
            );
            Err(PluginError::refused(PluginErrorKind::Abi, file, reason, help))
        }
    }
}
