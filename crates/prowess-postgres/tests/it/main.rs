//! Tests of the database. Most need a server, which they start.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

#[cfg(target_os = "linux")]
mod night;
mod urls;
