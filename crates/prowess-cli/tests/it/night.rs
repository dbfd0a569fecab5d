//! Tests that need programs which not every machine has, or that take long: `cargo xtask test`
//! leaves them out and `cargo xtask nightly` runs them.

mod calls;
mod failing_disk;
mod install_crashes;
mod install_power_cuts;
mod lock_files;
mod places;
#[cfg(all(feature = "http", feature = "postgres"))]
mod postgres;
mod proposals;
mod screens;
#[cfg(feature = "http")]
mod serve_http;
#[cfg(feature = "web")]
mod serve_web;
mod shapes;
mod shells;
mod watching;
