//! Checks that the vendors' own clients accept the request bodies that the tests expect.

use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value};

use crate::install::python::environment;
use crate::process::{Failure, fail_for, output};
use crate::root;

/// The clients whose types describe requests, and what validates a body by them.
const PACKAGES: [&str; 5] = [
    "openai==3.54.0",
    "anthropic==2.12.0",
    "google-genai==3.4.0",
    "pydantic==2.14.3",
    "jsonschema==4.26.0",
];

const FORMATS: [&str; 4] = ["openai-chat", "openai-responses", "anthropic", "gemini"];

pub(crate) fn run() -> Result<(), Failure> {
    let python = environment(&root().join("target/clients/requests"), &PACKAGES)?;
    let directory = root().join("crates/prowess-vendor/tests/it/requests");
    let mut bodies = Map::new();
    for format in FORMATS {
        let body = std::fs::read(directory.join(format!("{format}.json")))?;
        bodies.insert(format.to_owned(), serde_json::from_slice(&body)?);
    }
    let found = check(&python, &bodies.into())?;
    let mut refused = Vec::new();
    for format in FORMATS {
        // A body without an answer was not checked.
        let errors = found[format].as_array();
        let is_accepted = errors.is_some_and(Vec::is_empty);
        println!("{format:18} {}", if is_accepted { "accepted" } else { "refused" });
        if !is_accepted {
            refused.push(format);
            errors.into_iter().flatten().for_each(|error| eprintln!("  {error}"));
        }
    }
    fail_for("requests are not of the vendors' types", &refused)
}

fn check(python: &Path, bodies: &Value) -> Result<Value, Failure> {
    let script = include_str!("clients/requests.py");
    let ran = output(Command::new(python).args(["-c", script]).arg(bodies.to_string()))?;
    if ran.status.success() {
        return Ok(serde_json::from_slice(&ran.stdout)?);
    }
    Err(Failure(String::from_utf8_lossy(&ran.stderr).into_owned()))
}
