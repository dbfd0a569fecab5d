//! Loads plugins: from an untrusted file to the traits of the core.
//!
//! A plugin is a dynamic library, and opening one runs its code. So everything that can be known
//! without opening it is looked at first, and what is then opened are the bytes that were looked
//! at:
//!
//! 1. [`verify`] reads the file once, looks at what it says of itself ([`inspect`]), asks the
//!    [`TrustStore`] whether it may run and the [`PluginPolicy`] whether and where it fits;
//! 2. [`stage`] puts those bytes where the system's loader can open them, and never the file again;
//! 3. [`LoadedCode::open`] opens them, checks that the plugin means the same as the host by what
//!    crosses, and never closes them;
//! 4. [`LoadedPlugin`] runs instances of it behind the core's traits: so many calls at once and
//!    each for so long, begun again when one panics, replaced in one swap.
//!
//! [`start_process`] begins a plugin in a process of its own, which calls [`run_process`]: whatever
//! becomes of it there, the host goes on.
//!
//! [`PluginLoader`] does all of this in its order, for a host that wants sources and tools, and a
//! [`Follower`] does it again when a plugin's file changes.
//!
//! The kit that an author tests a plugin with is a crate of its own, `prowess-plugin-check`;
//! [`kit`] is what it is made of.
//!
//! [`list`] says what would become of each plugin of a directory.
//!
//! Each refusal is one line that says what, why and what to do, and that nothing was executed.
#![deny(unsafe_code)]

mod adapter;
mod audited;
mod breaker;
mod calls;
mod child;
pub mod codes;
mod conversation;
mod error;
mod failure;
mod follow;
mod generation;
mod guard;
mod host_api;
mod inspect;
mod instance;
mod inventory;
pub mod kit;
mod layout;
mod load;
mod loaded;
mod loader;
mod open;
mod place;
mod policy;
mod private_file;
mod recent;
mod regular_file;
mod reload;
mod sleeper;
mod spin;
mod stage;
mod trace;
mod trust;
mod verify;

pub use child::{
    Launch, ProcessPlugin, probe_sandbox, run_process, run_process_with, start_process,
    start_process_with,
};
pub use error::{PluginError, PluginErrorKind};
pub use follow::{Follower, OnRejectedFile};
pub use generation::{PluginSetup, PluginStatus};
pub use host_api::{LogLevel, NoLog, PluginLog};
pub use inspect::{Inspection, Library, Linkage, Target, inspect};
pub use inventory::{InventoryCache, Listed, list};
pub use load::Plugin;
pub use loaded::LoadedPlugin;
pub use loader::PluginLoader;
pub use open::LoadedCode;
pub use place::Origin;
pub use policy::{
    HOST_ABI, HOST_FEATURES, Isolation, Placement, PluginLimits, PluginPolicy, PluginRights,
    PluginSettings, SandboxPolicy,
};
pub use prowess_plugin_abi::manifest::{Manifest, PanicStrategy};
pub use prowess_sandbox::{Level as SandboxLevel, Report as SandboxProbe, SandboxError};
pub use reload::{PluginHandle, Reloaded};
pub use stage::{Staged, stage, stage_in_directory};
pub use trust::{
    Key, KeyError, Older, Pin, Pinned, Revoked, RevokedName, SignedOffBy, TrustError, TrustStore,
};
pub use verify::{TrustedBy, VerifiedPlugin, read, verify};
