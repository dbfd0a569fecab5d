//! Loads plugins: verifies a dynamic library, opens it, and adapts it to the traits of the core.
//!
//! ```
//! use std::path::Path;
//!
//! use prowess_plugin_host::inspect;
//!
//! let refused = inspect(Path::new("notes.so"), b"no library").unwrap_err();
//! assert!(refused.to_string().contains("is not a dynamic library"), "{refused}");
//! ```
//!
//! Opening a dynamic library runs its code. So a plugin is first inspected as bytes, and exactly
//! the inspected bytes are opened:
//!
//! 1. [`verify`] reads the file once, parses its manifest ([`inspect`]), and checks it against the
//!    [`TrustStore`] and the [`PluginPolicy`];
//! 2. [`stage`] copies those bytes to where the system's loader can open them: the file is not
//!    read again;
//! 3. [`LoadedCode::open`] opens the library, compares the layout of the types at the boundary,
//!    and never closes the library;
//! 4. [`LoadedPlugin`] runs instances of the plugin behind the core's traits: it limits the number
//!    and the duration of calls, restarts an instance that panicked, and replaces one atomically.
//!
//! [`start_process`] starts a plugin in a separate process, which calls [`run_process`]. A crash of
//! that process does not affect the host.
//!
//! [`PluginLoader`] performs all of these steps, and a [`Follower`] repeats them when a plugin's
//! file changes.
//!
//! A plugin's tool sees of a conversation what the caller of the call can find, and only if its
//! manifest asks for it. The host answers its questions on the thread that asks and within the
//! call alone, reads the files, and loads skills from its own sources: a plugin hands over ids and
//! digests, never bodies.
//!
//! With the feature `check`, the module `check` tests a plugin against the rules for plugins:
//! `prowess plugin check` runs it.
//!
//! [`list`] returns the plugins of a directory, and whether each of them may run.
//!
//! Each [`PluginError`] is one line with the file, the reason and whether any code of the plugin
//! ran, and a help text.
#![deny(unsafe_code)]

mod adapter;
mod audit;
#[cfg(feature = "check")]
pub mod check;
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
mod load;
mod loaded;
mod loader;
mod location;
mod open;
mod policy;
mod private_file;
mod recent;
mod regular_file;
mod reload;
mod reports;
mod restarts;
mod spin;
mod stage;
mod trace;
mod trust;
mod verify;
mod worker_pool;

pub use child::{Launch, ProcessPlugin, probe_sandbox, run_process, start_process};
pub use error::{KeyError, PluginError, PluginErrorKind, TrustError};
pub use follow::{Follower, OnRejectedFile};
pub use generation::PluginSetup;
pub use host_api::{LogLevel, NoLog, PluginLog};
pub use inspect::{Inspection, Library, Linkage, Target, inspect};
pub use inventory::{Listed, list};
pub use load::Plugin;
pub use loaded::LoadedPlugin;
pub use loader::PluginLoader;
pub use open::LoadedCode;
pub use policy::{
    HOST_ABI, HOST_FEATURES, Isolation, Placement, PluginLimits, PluginPolicy, PluginRights,
    PluginSettings, SandboxPolicy,
};
pub use prowess_core;
pub use prowess_plugin_abi;
pub use prowess_plugin_abi::manifest::{Manifest, PanicStrategy};
pub use prowess_sandbox;
pub use prowess_sandbox::{
    Level as SandboxLevel, LimitKeepers, Report as SandboxProbe, SandboxError,
};
pub use reload::{PluginHandle, Reloaded};
pub use stage::{Staged, stage, stage_in_directory};
pub use trust::{Key, Older, Pin, Pinned, Revoked, RevokedName, SignedOffBy, TrustStore};
pub use verify::{TrustedBy, VerifiedPlugin, read, verify};
