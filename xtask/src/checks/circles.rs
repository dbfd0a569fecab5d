//! `cargo xtask circles`: the files of a crate that need each other in a circle.
//!
//! A file needs another if a path in it leads there, through re-exports too. A parent and its
//! children may need each other: they are one module in two files.

mod graph;
mod paths;

use crate::checks::prose::crates;
use crate::process::Failure;

/// The circles that may remain. The number only goes down.
const MOST: usize = 0;

/// Prints every circle; more than a few are a failure.
pub(crate) fn run() -> Result<(), Failure> {
    let mut sum = 0;
    for directory in crates()? {
        let modules = paths::read(&directory.join("src"))?;
        for circle in graph::circles(&modules) {
            let name = directory.file_name().unwrap_or_default().to_string_lossy();
            println!("{name}: {}", circle.join(", "));
            sum += 1;
        }
    }
    println!("{sum} circles; at most {MOST} may remain");
    if sum > MOST { Err(Failure("too many circles between files".into())) } else { Ok(()) }
}
