//! Tests of the SDK. Plugins in a host are tested by the plugin host.
#![allow(unsafe_code, reason = "a symbol is looked at")]
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod author;
mod boundary;
mod manifest;
