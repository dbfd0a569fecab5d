//! Tests of the SDK. Plugins in a host are tested by the plugin host.
#![allow(unsafe_code, reason = "a symbol is looked at")]
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod author;
mod boundary;
mod manifest;
/// The rules of a mirrored catalog, which are private.
#[allow(dead_code, reason = "the library uses the rest")]
#[path = "../../src/adapter/mirror_catalog.rs"]
mod mirror_catalog;
