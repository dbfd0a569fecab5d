//! Skills that the program itself writes while it runs.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use prowess::{MemorySource, Runtime};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut source = MemorySource::builder("generated");
    for drink in ["coffee", "cocoa"] {
        let text = format!("---\nname: {drink}\ndescription: Makes {drink}.\n---\nHeat water.\n");
        source = source.file(&format!("{drink}/SKILL.md"), text);
    }
    let runtime = Runtime::builder().source("user", Arc::new(source.build()?)).build()?;
    skill_sources::lines(&runtime)?.iter().for_each(|line| println!("{line}"));
    Ok(())
}
