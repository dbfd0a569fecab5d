//! Skills in the program: the table, the rules of a source, and the build helper.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod build;
mod kit;
