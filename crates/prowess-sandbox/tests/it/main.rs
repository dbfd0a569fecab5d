//! Tests of confined processes: what they can do to their host, with the layers and without.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod attacker;
mod attacks;
mod host;
mod levels;
mod lifetime;
mod limits;
mod network;
mod night;
