//! A `SessionStore` of the host: it counts what conversations write, in front of another store.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

mod counted;

use std::sync::Arc;

use counted::Counted;
use extension_points::kitchen;
use prowess::session::MemoryStore;
use prowess::{Error, ToolCall};
use serde_json::json;

fn main() -> Result<(), Error> {
    let store = Arc::new(Counted::<MemoryStore>::default());
    let runtime = kitchen().session_store(Arc::clone(&store) as _).build()?;
    let session = runtime.open_session()?;
    let load = ToolCall::new("skills_load", json!({ "names": ["tea"] }));
    let before = store.writes();
    runtime.turn(&session)?.call(&load);
    println!("the load was stored: {}", store.writes() > before);
    Ok(())
}

#[cfg(test)]
#[test]
fn store_passes_its_kit() {
    let report = prowess_testkit::check_store(&Counted::<MemoryStore>::default());
    assert!(report.is_passed(), "{report}");
}
