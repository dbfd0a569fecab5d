//! Write a plugin for prowess: a dynamic library that offers skills or tools to any host.
//!
//! A plugin implements the core's own traits, [`SkillSource`] and [`ToolProvider`]: the same code
//! can be linked into a program or loaded by one. This is a whole plugin:
//!
//! ```
//! #![forbid(unsafe_code)]
//!
//! use prowess_plugin_sdk::prowess_core::MemorySource;
//! use prowess_plugin_sdk::{Error, Host, Plugin, Registration, export_plugin};
//!
//! /// The operator's configuration; any type of serde's will do.
//! #[derive(serde::Deserialize)]
//! #[serde(deny_unknown_fields)]
//! struct Config {
//!     greeting: String,
//! }
//!
//! struct Hello;
//!
//! impl Plugin for Hello {
//!     type Config = Config;
//!
//!     fn init(_host: Host, config: Config) -> Result<Registration, Error> {
//!         let greeting = &config.greeting;
//!         let text = format!("---\nname: hello\ndescription: Greets.\n---\nSay {greeting}.\n");
//!         let source = MemorySource::builder("hello").file("hello/SKILL.md", text).build()?;
//!         Ok(Registration::new().source(source))
//!     }
//! }
//!
//! export_plugin!(
//!     Hello,
//!     kinds = ["source"],
//!     config_schema = r#"{
//!         "type": "object",
//!         "properties": {"greeting": {"type": "string"}},
//!         "required": ["greeting"]
//!     }"#,
//! );
//! # fn main() {}
//! ```
//!
//! Its `Cargo.toml` has `crate-type = ["cdylib"]` and this crate as a dependency. Keep the work in
//! a library crate and the export in a thin one beside it: two exports cannot be linked into one
//! program.
//!
//! # Guarantees of the SDK
//!
//! - **No `unsafe`.** [`export_plugin!`] writes what the host looks for; the author's crate can
//!   forbid it.
//! - **Panics stay inside.** A call that panics answers with an error that names the place, and the
//!   object that panicked answers no further call; other objects of the plugin go on. The host then
//!   makes a new instance. This needs `panic = "unwind"`, which is Rust's own choice; a host
//!   refuses a plugin that is built otherwise, or runs it in a child process.
//! - **Configuration** comes as a value of serde's. What does not fit is refused with the field's
//!   name.
//! - **Cancelling**: the `Cancel` that a call gets asks the host at each look, and is set too when
//!   the host stops waiting.
//!
//! # Guarantees of the host
//!
//! - `init` runs once for each instance, on any thread, under a deadline. It starts what it needs
//!   and returns; several instances may live at once.
//! - Each method may be called from several threads at once.
//! - A tool sees the catalog and the session that it is called in if the plugin has the feature
//!   `conversation`; see [`export_plugin!`]. Otherwise it sees an empty catalog, and a session that
//!   has an id and nothing else.
//! - When an instance ends, its sources and providers are dropped. A thread that an author has
//!   started ends with the value that started it.
//! - A plugin is never unloaded. Its statics live as long as the process, one set for each file
//!   that was opened.
//! - Standard output belongs to the host, as do the working directory and the environment. For
//!   messages there is [`Host::log`].
//!
//! # Limits
//!
//! The boundary is not one of trust: a plugin in the host's process can do what the host can.
#![deny(unsafe_code)]

mod adapter;
mod config;
mod convert;
mod error;
mod export;
mod guard;
mod hook;
mod host;
mod plugin;
#[cfg(feature = "testing")]
pub mod testing;

pub use error::{Error, ErrorKind};
pub use host::{Host, Level};
pub use plugin::{Plugin, Registration};
pub use prowess_core;
pub use prowess_core::{SkillSource, Tool, ToolProvider};

/// The items that the code of [`export_plugin!`] names, and no other code.
#[doc(hidden)]
pub mod __private {
    pub use crate::export::{Part, RUSTC, SDK_VERSION, TARGET, header, module, text, text_length};
    pub use abi_stable::library::{
        __call_root_module_loader, CheckTypeLayout, LibHeader, ROOT_MODULE_LOADER_NAME,
        RootModuleResult,
    };
    pub use prowess_plugin_abi::manifest::{frame, framed_length};
    pub use prowess_plugin_abi::{MAJOR, MINOR};
}
