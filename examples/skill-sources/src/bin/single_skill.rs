//! A source of one package, under the name that the host gives to it. The package may have any
//! other, or none.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use prowess::{MemorySource, Runtime};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source =
        MemorySource::builder("uploaded").file("v2/SKILL.md", skill_sources::TEA).build()?;
    let runtime =
        Runtime::builder().single_skill_source("user", "team-tea", Arc::new(source)).build()?;
    skill_sources::lines(&runtime)?.iter().for_each(|line| println!("{line}"));
    Ok(())
}
