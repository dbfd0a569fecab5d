//! What a machine keeps: real files, and real folders that come and go.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod cache;
mod trust;
