//! Plugins, from a file that nobody trusts to the traits of the core.
//!
//! A plugin is a dynamic library, and opening one runs its code. So everything that can be known
//! without opening it is looked at first, and what is then opened are the bytes that were looked at:
//!
//! 1. [`verify`] reads the file once, looks at what it says of itself ([`inspect`]), asks the
//!    [`TrustStore`] whether it may run and the [`PluginPolicy`] whether and where it fits;
//! 2. [`stage`] puts those bytes where the system's loader can open them, and never the file again.
//!
//! [`start_process`] begins a plugin in a process of its own, which calls [`serve_child`]: whatever becomes of
//! it there, the host goes on.
//!
//! [`list`] says what would become of each plugin of a directory.
//!
//! Each refusal is one line that says what, why and what to do, and that nothing was executed.
#![deny(unsafe_code)]

mod child;
mod error;
mod inspect;
mod inventory;
mod place;
mod policy;
mod private_file;
mod stage;
mod trust;
mod verify;

pub use child::{ChildPlugin, ChildRequest, Launch, ProcessPlugin, serve_child, start_process};
pub use error::{PluginError, PluginErrorKind};
pub use inspect::{Inspection, Library, Linkage, Target, inspect};
pub use inventory::{InventoryCache, Listed, list};
pub use place::Origin;
pub use policy::{HOST_ABI, Isolation, Placement, PluginLimits, PluginPolicy, PluginSettings};
pub use prowess_plugin_abi::manifest::{Manifest, PanicStrategy};
pub use stage::{Staged, stage, stage_in_directory};
pub use trust::{Key, KeyError, Older, Pin, Revoked, TrustError, TrustStore, Witness};
pub use verify::{TrustedBy, VerifiedPlugin, read, verify};
