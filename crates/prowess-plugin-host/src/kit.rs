//! The parts of this host that `prowess-plugin-check` opens plugins with.
//!
//! The kit looks at a plugin as it crosses the boundary, without the adapters that a host's user
//! sees, so it needs what this crate keeps to itself otherwise. A program that runs plugins has no
//! use for this module.

use std::path::Path;

use crate::{Origin, PluginError, PluginPolicy, place};

pub use crate::adapter::{Described, described, is_answer};
pub use crate::child::{ProcessClock, died, frame, open_library};
pub use crate::host_api::{Ended, HostSide, RunningCall};
pub use crate::inspect::wrong_target;
pub use crate::instance::{End, Instance, Objects, Shape, begin, plain};
pub use crate::policy::{abi, version};
pub use crate::verify::verify_bytes;

/// Reads a plugin's file, whatever its bytes are.
///
/// # Errors
///
/// There is no such file, it cannot be read, or it lies where no plugin is taken from.
pub fn read_bytes(
    file: &Path,
    origin: Origin,
    policy: &PluginPolicy,
) -> Result<Vec<u8>, PluginError> {
    place::open(file, origin, policy)?.read(policy)
}
