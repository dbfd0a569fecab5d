//! Skills from a place of your own: a bundle with one JSON line for each file.
//!
//! `cargo run -p custom-source` prints the prompt that a model gets.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

mod bundle;

use std::sync::Arc;

use bundle::BundleSource;
use prowess::Runtime;

/// The files of a server.
const BUNDLE: &str = r#"{"path": "tea/SKILL.md", "text": "---\nname: tea\ndescription: Brews tea. Use when somebody is thirsty.\n---\nWarm the pot first. Times are in references/times.md.\n"}
{"path": "tea/references/times.md", "text": "Green: 2 minutes. Black: 4 minutes.\n"}
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source = BundleSource::read("drinks", BUNDLE)?;
    let runtime = Runtime::builder().source("user", Arc::new(source)).build()?;
    let session = runtime.open_session()?;
    println!("{}", runtime.turn(&session)?.prompt().text);
    Ok(())
}
