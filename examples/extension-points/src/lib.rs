//! The skills that the programs of this package share. Each program shows one trait, or what a host
//! asks a session:
//!
//! ```console
//! $ cargo run -p extension-points --bin ranker
//! ```
#![forbid(unsafe_code)]

use std::sync::Arc;

use prowess::{MemorySource, Runtime, RuntimeBuilder};

const TEA: &str = "---
name: tea
description: Brews tea. Use when somebody is thirsty.
---
Warm the pot first.
";

const BREAD: &str = "---
name: bread
description: Bakes bread. Use when somebody is hungry.
---
Run scripts/timer.count with the minutes.
";

/// Returns a builder with two skills of a trusted layer.
///
/// # Panics
///
/// Never: the packages are valid.
pub fn kitchen() -> RuntimeBuilder {
    let source = MemorySource::builder("kitchen")
        .file("tea/SKILL.md", TEA)
        .file("bread/SKILL.md", BREAD)
        .file("bread/scripts/timer.count", "minutes left")
        .build();
    Runtime::builder().source("user", Arc::new(source.expect("the packages are valid")))
}
