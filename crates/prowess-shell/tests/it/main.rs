//! Commands in real sandboxes.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod attacks;
mod fixture;
mod generic;
mod kit;
mod lost;
mod memory;
mod mounts;
mod ported;
mod results;
mod scripts;
mod sessions;
