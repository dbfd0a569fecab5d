//! Scripts of real interpreters in real sandboxes.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod bad;
mod bounds;
mod confined;
mod fixture;
mod interpreters;
mod kit;
mod live;
mod memory;
mod network;
mod night;
mod requests;
mod searched;
mod secrets;
