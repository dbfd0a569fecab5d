//! Compares the layout of the types at the boundary between an opened library and this host.

use std::path::Path;

use abi_stable::library::LibHeader;
use prowess_plugin_abi::layout::{Side, check};
use prowess_plugin_abi::manifest::Manifest;

use crate::{PluginError, PluginErrorKind};

/// Checks that the plugin and the host have the same layout of the boundary types, up to the older
/// minor version of the two.
pub(crate) fn check_layout(
    file: &Path,
    header: &LibHeader,
    manifest: &Manifest,
) -> Result<(), PluginError> {
    let help = "ask its author for a build with a released `prowess-plugin-sdk`";
    let refused = |reason: String| PluginError::failed(PluginErrorKind::Abi, file, reason, help);
    let (_, minor) = manifest
        .abi_version()
        .ok_or_else(|| refused(format!("has an invalid ABI version `{}`", manifest.abi)))?;
    let layout = header
        .layout()
        .ok_or_else(|| refused("does not export the layout of its boundary types".to_owned()))?;
    check(Side::own(), Side { layout, minor }).map_err(|mismatch| {
        refused(format!("has another layout of the boundary types: {}", mismatch.summary()))
    })
}
