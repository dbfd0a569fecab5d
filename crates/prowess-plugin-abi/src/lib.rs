//! The types at the boundary between prowess and its plugins, and the manifest that a host reads
//! before it opens a plugin.
//!
//! ```
//! use prowess_plugin_abi::layout::{Side, check};
//!
//! // A host does this with the layout that a plugin's file declares, before the first call.
//! assert!(check(Side::own(), Side::own()).is_ok());
//! ```
//!
//! Plugins use `prowess-plugin-sdk` and hosts use `prowess-plugin-host`, which convert these types
//! to and from the traits of the core. Neither uses this crate directly.
//!
//! # The format of a plugin file
//!
//! A plugin is a `cdylib` with two exports: the [`manifest`], in a separate section so that it can
//! be read from the file's bytes, and a header of `abi_stable` that refers to the [`PluginModule`].
//! Its `init` function takes the host's object and the configuration, and returns the plugin's
//! sources and tool providers.
//!
//! # The version of this crate is the version of the ABI
//!
//! - **Structs are frozen** for a major version: no field is added, removed or moved. Each has an
//!   `ext` string, empty or a JSON object, for later extensions.
//! - **Traits and the module grow at their end** in a minor version. A new method has a default
//!   body, and the attribute `last_prefix_field` is never moved.
//! - **Numbers instead of enums**: an unknown value is data, and not undefined behaviour. The
//!   numbers are defined in [`codes`], [`flags`], [`levels`], [`severities`],
//!   [`changes`] and [`coverage`].
//! - A patch version changes only documentation. Any other change is a new major version. The
//!   package is never renamed, because its name is part of the layout check.
//!
//! [`layout::check`] compares the layouts of both sides before the first call. An older plugin runs
//! on a newer host of the same major version, and a newer plugin on an older host. The tests
//! compare this crate with a snapshot of its layouts, and with a frozen copy of 1.0, both in
//! `fixtures/`.
//!
//! # Rules for both sides
//!
//! - No panic crosses the boundary: each side catches its own panics and returns [`codes::PANIC`].
//!   A method without a result ignores them.
//! - Every call is synchronous, and may come from several threads concurrently. Its [`CallCtx`] has
//!   the timeout and the token for cancellation.
//! - Borrowed arguments (strings, slices and sinks) are only valid until the call returns.
//! - Callbacks return quickly. The host never calls a plugin from a callback.
//!
//! This crate has no other logic, and no `async`. A plugin that needs an async runtime creates its
//! own.
#![allow(unsafe_code, reason = "the boundary is made of pointers")]

pub mod boundary;
pub mod conversation;
mod error;
pub mod layout;
pub mod manifest;
pub mod text;

pub use boundary::*;
