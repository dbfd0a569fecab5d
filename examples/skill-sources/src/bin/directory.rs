//! Skills of a directory, by default the one of this package. An edit of a file is seen by the next
//! turn.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::path::PathBuf;

use prowess::Runtime;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/skills");
    let directory = std::env::args_os().nth(1).map_or_else(|| own.into(), PathBuf::from);
    let runtime = Runtime::builder().skills_directory("user", directory).build()?;
    skill_sources::lines(&runtime)?.iter().for_each(|line| println!("{line}"));
    Ok(())
}
