//! Inspects a library without opening it.
//!
//! Opening a library runs its code, and the system's loader reports poor errors: a file for another
//! processor is "not found". So the file is parsed as bytes first. No code of the library is
//! executed, and any input gives a result.

mod elf;
mod library;
mod linkage;

use std::path::Path;

use prowess_plugin_abi::manifest::Manifest;
use serde::{Deserialize, Serialize};

use crate::{PluginError, PluginErrorKind};

pub use library::Library;
pub(crate) use library::wrong_target;
pub use linkage::{Linkage, Target};

/// The result of an inspection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inspection {
    /// The author's manifest.
    pub manifest: Manifest,
    /// The target and the linkage of the library.
    pub library: Library,
}

/// Reads the manifest and the properties of a library from its content. `file` is only used in
/// messages.
///
/// A plugin for another processor is accepted if its format is known.
/// [`PluginPolicy::judge`](crate::PluginPolicy::judge) checks whether it may run on this host.
///
/// # Errors
///
/// Returns an error if the bytes are not a library, are damaged, or have no valid manifest.
pub fn inspect(file: &Path, bytes: &[u8]) -> Result<Inspection, PluginError> {
    let refused = |kind, reason: String, help: &str| PluginError::refused(kind, file, reason, help);
    if bytes.is_empty() {
        let help = "build or copy the plugin again";
        return Err(refused(PluginErrorKind::NotALibrary, "is empty".into(), help));
    }
    let (library, section) = library::read(file, bytes)?;
    let Some(section) = section else {
        let reason = "is a library without a plugin manifest";
        let help = "name a library that was built with `prowess-plugin-sdk` and `export_plugin!`";
        return Err(refused(PluginErrorKind::NotAPlugin, reason.into(), help));
    };
    let manifest = Manifest::parse(section).map_err(|error| {
        let help = "ask its author for a build with a released `prowess-plugin-sdk`";
        let reason = format!("has a damaged manifest: {error}");
        refused(PluginErrorKind::Manifest, reason, help)
    })?;
    Ok(Inspection { manifest, library })
}
