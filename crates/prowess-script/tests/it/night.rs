//! Tests that need programs which not every machine has, or that take long: `cargo xtask test`
//! leaves them out and `cargo xtask nightly` runs them.

mod interpreters;
mod network;
