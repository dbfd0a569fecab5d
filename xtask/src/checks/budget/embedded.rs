//! The price of the library for a host, with three selections of its features.

use super::{crates, time};
use crate::process::Failure;

const SELECTIONS: [(&str, &[&str]); 3] = [
    ("`default-features = false`", &["--no-default-features"]),
    ("the default", &[]),
    ("every feature", &["--all-features"]),
];

/// Prints the crates of the library, with those that its build needs, and with `--time` the CPU
/// seconds of its first build.
pub(super) fn print(with_time: bool) -> Result<(), Failure> {
    println!("\n{:<44} {:>9} {:>9}", "the library, with", "crates", "CPU s");
    for (name, selection) in SELECTIONS {
        let crates = crates::library(selection)?;
        let build = [&["build", "--quiet", "--package", "prowess"], selection].concat();
        let seconds = if with_time { time::cpu(&build)?.to_string() } else { "–".to_owned() };
        println!("{name:<44} {crates:>9} {seconds:>9}");
    }
    Ok(())
}
