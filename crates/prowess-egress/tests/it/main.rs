//! Tests of the proxy, with real clients and servers on the loopback address.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod ends;
mod fixture;
mod hosts;
mod refused;
mod requests;
mod secrets;
mod tunnels;
