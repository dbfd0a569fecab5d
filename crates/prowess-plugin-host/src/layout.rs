//! Whether an opened library means the same by what crosses as this host.

use std::path::Path;

use abi_stable::library::LibHeader;
use prowess_plugin_abi::layout::{Side, check};
use prowess_plugin_abi::manifest::Manifest;

use crate::{PluginError, PluginErrorKind};

/// Compares the plugin's idea of the boundary with the host's, whichever of them is older.
pub(crate) fn check_layout(
    file: &Path,
    header: &LibHeader,
    manifest: &Manifest,
) -> Result<(), PluginError> {
    let help = "ask its author for a build with a released `prowess-plugin-sdk`";
    let refused = |reason: String| PluginError::failed(PluginErrorKind::Abi, file, reason, help);
    let (_, minor) = manifest
        .abi_version()
        .ok_or_else(|| refused(format!("has the ABI `{}`, which is none", manifest.abi)))?;
    let layout = header
        .layout()
        .ok_or_else(|| refused("keeps the layout of what crosses to itself".to_owned()))?;
    check(Side::own(), Side { layout, minor }).map_err(|mismatch| {
        refused(format!("means something else by what crosses: {}", mismatch.summary()))
    })
}
