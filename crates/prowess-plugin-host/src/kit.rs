//! Internals of this crate for `prowess-plugin-check`.
//!
//! That crate tests plugins at the boundary, without the adapters for a host. A program that runs
//! plugins does not need this module.

use std::path::Path;

use crate::{Origin, PluginError, PluginPolicy, location};

pub use crate::adapter::{ToolDescription, check_result, parse_tools};
pub use crate::child::{ProcessClock, describe_exit, frame, open_library};
pub use crate::host_api::{EndedFlag, HostSide, RunningCall};
pub use crate::inspect::wrong_target;
pub use crate::instance::{Instance, Objects, Shape, ShutdownGuard, create, into_result};
pub use crate::policy::{abi, version};
pub use crate::verify::verify_bytes;

/// Reads the content of a plugin's file without inspecting it.
///
/// # Errors
///
/// Returns an error if the file does not exist, cannot be read, or is at a location that the
/// policy does not allow.
pub fn read_bytes(
    file: &Path,
    origin: Origin,
    policy: &PluginPolicy,
) -> Result<Vec<u8>, PluginError> {
    location::open(file, origin, policy)?.read(policy)
}
