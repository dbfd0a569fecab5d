//! Tests of plugins: files that are refused, and libraries that are opened.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod child;
mod equal;
mod faults;
mod generations;
mod inspect;
mod inventory;
mod library;
mod loaded;
mod policy;
mod shipped;
mod stage;
mod trust;
mod verify;
