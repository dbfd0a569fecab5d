//! Checks of each change that need no test to run.

pub(crate) mod api;
pub(crate) mod budget;
pub(crate) mod circles;
pub(crate) mod compile_times;
pub(crate) mod features;
pub(crate) mod loom;
pub(crate) mod prose;
pub(crate) mod readmes;
pub(crate) mod release;
pub(crate) mod tidy;

use crate::process::{Failure, cargo_with};
use crate::selection::Selection;

/// The variables with which `cargo check` runs clippy, as `cargo clippy` sets them. A warning is a
/// failure.
const CLIPPY: [(&str, &str); 2] = [
    ("RUSTC_WORKSPACE_WRAPPER", "clippy-driver"),
    ("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__"),
];

/// Runs clippy on all targets with all features, so that no code is left out.
pub(crate) fn lint() -> Result<(), Failure> {
    cargo_with(&CLIPPY, Selection::Full.cargo(&["check", "--all-targets"]))
}
