//! Code that the programs of this package share. Each program has skills from one kind of source:
//!
//! ```console
//! $ cargo run -p skill-sources --bin embedded
//! ```
//!
//! Skills of plugins are in `examples/loaded-plugins`, those of a source of your own in
//! `examples/extension-points`.
#![forbid(unsafe_code)]

use prowess::{Error, Runtime, ToolCall};

/// The `SKILL.md` of the directory `skills`.
pub const TEA: &str = include_str!("../skills/tea/SKILL.md");

/// Returns a line for each skill of a runtime: its id, its layer and its description, as a model
/// reads them once it has loaded the skill.
///
/// # Errors
///
/// A session cannot be opened.
pub fn lines(runtime: &Runtime) -> Result<Vec<String>, Error> {
    let session = runtime.open_session()?;
    let turn = runtime.turn(&session)?;
    let catalog = turn.catalog();
    let line = |record: prowess::Record<'_>| {
        let arguments = format!(r#"{{"names": ["{}"]}}"#, record.id());
        let arguments = arguments.parse().expect("an id is no syntax of JSON");
        let result = turn.call(&ToolCall::new("skills_load", arguments)).result;
        let state = if result.is_error { "is not loaded" } else { "is loaded" };
        let layer = &record.layer().name;
        format!("{} of {layer} {state}: {}", record.id(), record.description())
    };
    Ok(catalog.skills().map(line).collect())
}
