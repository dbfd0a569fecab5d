//! Skills that are compiled into the program.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use prowess::Runtime;
use prowess_source_embedded::{EmbeddedFile, EmbeddedSource};

/// `prowess_source_embedded::build::write_table` writes such a table from a directory.
static FILES: &[EmbeddedFile] = &[
    EmbeddedFile { path: "tea/SKILL.md", bytes: include_bytes!("../../skills/tea/SKILL.md") },
    EmbeddedFile {
        path: "tea/references/times.md",
        bytes: include_bytes!("../../skills/tea/references/times.md"),
    },
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source = EmbeddedSource::new("drinks", FILES)?;
    let runtime = Runtime::builder().source("user", Arc::new(source)).build()?;
    skill_sources::lines(&runtime)?.iter().for_each(|line| println!("{line}"));
    Ok(())
}
