//! The SDK for prowess plugins: dynamic libraries that offer skills or tools to a host.
//!
//! A plugin implements the core's traits, [`SkillSource`] and [`ToolProvider`], so the same code
//! can be linked into a program or loaded by one. This is a complete plugin:
//!
//! ```
//! #![forbid(unsafe_code)]
//!
//! use prowess_plugin_sdk::prowess_core::MemorySource;
//! use prowess_plugin_sdk::{Error, Host, Plugin, Registration, export_plugin};
//!
//! /// The operator's configuration: any type that serde can deserialize.
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
//! Its `Cargo.toml` has `crate-type = ["cdylib"]` and a dependency on this crate. Keep the code in
//! a library crate, and the export in a separate thin crate: two exports cannot be linked into one
//! program.
//!
//! # Guarantees of the SDK
//!
//! - **No `unsafe`.** [`export_plugin!`] generates the exports; the author's crate can forbid
//!   `unsafe` code.
//! - **Panics are contained.** A call that panics returns an error with the location of the panic,
//!   and later calls of the same object fail; other objects of the plugin still work. The host then
//!   creates a new instance. This needs `panic = "unwind"`, Rust's default. A plugin with another
//!   setting is refused, or runs in a separate process.
//! - **The configuration** is deserialized with serde. An invalid one is refused with the name of
//!   the field.
//! - **Cancellation**: the `Cancel` of a call asks the host at each check, and is also set when the
//!   host stops waiting.
//!
//! # Guarantees of the host
//!
//! - `init` is called once for each instance, on any thread, with a timeout. Several instances may
//!   exist concurrently.
//! - Each method may be called from several threads concurrently.
//! - A tool has access to the catalog and the session of its call if the plugin has the feature
//!   `conversation`; see [`export_plugin!`]. Otherwise it gets an empty catalog, and a session with
//!   only an id.
//! - When an instance ends, its sources and providers are dropped. They should end the threads that
//!   they have started.
//! - A plugin is never unloaded. Its statics live as long as the process, with one set for each
//!   opened file.
//! - Standard output, the working directory and the environment belong to the host. Use
//!   [`Host::log`] for messages.
//!
//! # Limits
//!
//! The boundary is not a security boundary: a plugin in the host's process has all rights of the
//! host.
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
pub use prowess_plugin_abi;

/// Items for the code that [`export_plugin!`] generates.
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
