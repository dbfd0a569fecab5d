//! Tests of stored state, with real files and folders.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod approvals;
mod cache;
#[cfg(target_os = "linux")]
mod night;
mod processes;
mod records;
mod rotating;
mod sessions;
mod steps;
mod texts;
mod trust;
/// The clock of file creation cannot be set, so the rule about it is tested by itself.
#[allow(dead_code, reason = "the library uses the rest")]
#[path = "../../src/worktree.rs"]
mod worktree;
