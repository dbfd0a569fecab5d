//! Skills of several sources in one catalog: of two skills with one name, the one of the higher
//! layer is used, and the other one stays known with the reason.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use prowess::{Layer, MemorySource, Runtime, Trust};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let own = "---\nname: tea\ndescription: Brews tea as this team likes it.\n---\nNo sugar.\n";
    let bread = "---\nname: bread\ndescription: Bakes bread.\n---\nKnead it.\n";
    let generated =
        MemorySource::builder("generated").file("tea/SKILL.md", own).file("bread/SKILL.md", bread);
    // The lowest layer first.
    let layers = [Layer::new("common", Trust::Trusted), Layer::new("team", Trust::Trusted)];
    let runtime = Runtime::builder()
        .layers(layers)
        .skills_directory("common", concat!(env!("CARGO_MANIFEST_DIR"), "/skills"))
        .source("team", Arc::new(generated.build()?))
        .build()?;
    skill_sources::lines(&runtime)?.iter().for_each(|line| println!("{line}"));
    for record in runtime.catalog().excluded() {
        let layer = &record.layer().name;
        println!("{} of {layer}: {}", record.id(), record.reason().unwrap_or_default());
    }
    Ok(())
}
