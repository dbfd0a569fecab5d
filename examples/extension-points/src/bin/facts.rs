//! The host's own `Facts`: skills are offered by what its container image contains, and not by what
//! this machine has.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use prowess::{Error, Facts, MemorySource, Runtime};

/// The programs of a container image.
struct Image(&'static [&'static str]);

impl Facts for Image {
    fn system(&self) -> &str {
        "linux"
    }

    fn has_program(&self, name: &str) -> bool {
        self.0.contains(&name)
    }

    fn has_variable(&self, _name: &str) -> bool {
        false
    }

    fn has_config(&self, _key: &str) -> bool {
        false
    }
}

const SKILL: &str = "---
name: tea
description: Brews tea. Use when somebody is thirsty.
metadata: {openclaw: {requires: {bins: [kettle]}}}
---
";

fn main() -> Result<(), Error> {
    for programs in [&["kettle", "oven"][..], &["oven"]] {
        let source = MemorySource::builder("kitchen").file("tea/SKILL.md", SKILL).build();
        let source = Arc::new(source.expect("the path is valid"));
        let facts = Arc::new(Image(programs));
        let runtime = Runtime::builder().source("user", source).facts(facts).build()?;
        println!("{programs:?}: {} offered", runtime.catalog().len());
    }
    Ok(())
}
