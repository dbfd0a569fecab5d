//! The types that cross the boundary between prowess and a plugin, and the manifest that a host
//! reads before it opens one.
//!
//! Neither side meets this crate in its own code: a plugin uses `prowess-plugin-sdk`, and a
//! host uses `prowess-plugin-host`. Both translate to and from the traits of the core.
//!
//! # What a plugin file is
//!
//! A `cdylib` with two exports: the [`manifest`], in a section of its own so that it can be read
//! from the file's bytes, and a header of `abi_stable` that leads to the [`PluginModule`]. Its
//! `init` takes the host's object and the configuration and gives the plugin's sources and tool
//! providers.
//!
//! # The version of this crate is the version of the boundary
//!
//! - **Values are frozen** for a major version: no field is added, taken away or moved. Each has an
//!   `ext` text, empty or a JSON object, for what comes later.
//! - **Traits and the module grow at their end** in a minor version. A new method has a default
//!   body, and the mark `last_prefix_field` never moves.
//! - **Numbers instead of enums**: a value that a side does not know is data for it, never
//!   undefined behaviour. The numbers stand in [`codes`], [`flags`], [`levels`], [`severities`],
//!   [`changes`] and [`coverage`].
//! - A patch version changes documentation only; anything else is a new major version. The package
//!   is never renamed, because its name is part of the check.
//!
//! [`layout::check`] compares both sides before the first call, so an old plugin runs on a newer
//! host of the same major version and the other way round. The tests compare this crate with frozen
//! copies of its releases, under `fixtures/`.
//!
//! # Rules of the road
//!
//! - No panic crosses: each side catches its own and answers with [`codes::PANIC`]. Where a method
//!   has no way to answer, nothing happens.
//! - Every call is synchronous and may come from any thread, several at once. Its [`CallCtx`] says
//!   when the host stops waiting and how to learn that it lost interest.
//! - What is borrowed is gone when the call returns: a text, a slice, a sink.
//! - Callbacks take note and return. The host never calls into a plugin from one.
//!
//! This crate has no logic beyond those checks, and no `async`. A plugin that needs a runtime
//! brings its own.
#![allow(unsafe_code, reason = "the boundary is made of pointers")]

pub mod boundary;
pub mod conversation;
pub mod layout;
pub mod manifest;
pub mod text;

pub use boundary::*;
