//! Tests of the plugin host.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod bad_files;
mod check;
mod child;
mod confined;
mod conversation;
mod fault_table;
mod faults;
mod generations;
mod inspect;
mod inventory;
mod library;
mod loaded;
mod night;
mod policy;
mod reload;
mod running;
mod scans;
mod shipped;
mod stage;
mod traces;
mod trust;
mod verify;
