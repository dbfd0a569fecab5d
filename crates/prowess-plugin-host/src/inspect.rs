//! Inspection of a library without opening it.
//!
//! Opening a library runs its code, and the system's loader explains little: a file for another
//! processor is "not found". So the file is read as bytes first. Nothing here executes anything,
//! and any bytes give an answer.

mod elf;
mod library;
mod linkage;

use std::path::Path;

use prowess_plugin_abi::manifest::Manifest;
use serde::{Deserialize, Serialize};

use crate::{PluginError, PluginErrorKind};

pub use library::{Library, wrong_target};
pub use linkage::{Linkage, Target};

/// The result of an inspection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inspection {
    /// The author's manifest.
    pub manifest: Manifest,
    /// The properties of the library's format.
    pub library: Library,
}

/// Reads what `bytes`, the content of `file`, says of itself. `file` is for the messages alone.
///
/// A plugin for another processor is read, too, where its format is known: see
/// [`PluginPolicy::judge`](crate::PluginPolicy::judge) for whether it may be used here.
///
/// # Errors
///
/// The bytes are no library, are damaged, or hold no manifest of a plugin.
pub fn inspect(file: &Path, bytes: &[u8]) -> Result<Inspection, PluginError> {
    let refused = |kind, reason: String, help: &str| PluginError::refused(kind, file, reason, help);
    if bytes.is_empty() {
        let help = "build or copy the plugin again";
        return Err(refused(PluginErrorKind::NotALibrary, "is empty".into(), help));
    }
    let (library, section) = library::read(file, bytes)?;
    let Some(section) = section else {
        let reason = "is a library, but no plugin: it has no manifest of one";
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
