//! `cargo xtask dynamic`: the facade's and the command line's tests, with built-in sources that are
//! plugins.

use std::process::Command;

use serde_json::Value;

use crate::process::{self, Failure, WORKSPACE, artifacts, built};

/// The packages whose tests can run either way.
const PACKAGES: [&str; 2] = ["prowess", "prowess-cli"];

/// The modules in which a built-in source takes part. Other tests would only run twice.
const MODULES: [&str; 10] = [
    "sources::",
    "second_start::",
    "refresh::",
    "contract::",
    "serve::",
    "hot_equals_cold::",
    "layers::",
    "presets::",
    "trust::",
    "plugin",
];

/// Runs the tests that `cargo xtask test` built, with the plugins that `cargo xtask plugins` built.
pub(crate) fn run() -> Result<(), Failure> {
    let plugins = built("plugins", "")?;
    let debug = built("debug", "")?;
    for (package, program, directory) in test_programs()? {
        println!("{package}");
        let mut command = Command::new(program);
        command.args(MODULES).current_dir(directory);
        command.env("PROWESS_TEST_DYNAMIC", &plugins).env("PROWESS_TEST_PLUGINS", &debug);
        command.env("RUST_TEST_THREADS", process::TEST_THREADS);
        process::run(&mut command)?;
    }
    Ok(())
}

/// The packages' test programs, each with the directory to run it in.
fn test_programs() -> Result<Vec<(String, String, String)>, Failure> {
    // With the same selection of packages as the run of all tests, nothing is compiled again.
    let build = ["test", "--tests", "--benches", "--no-run", "--message-format", "json"];
    let programs: Vec<_> =
        artifacts(&[&build[..], &WORKSPACE].concat())?.iter().filter_map(test_program).collect();
    if programs.len() == PACKAGES.len() {
        Ok(programs)
    } else {
        Err(Failure(format!("test programs of {PACKAGES:?} expected, found {programs:?}")))
    }
}

/// The test program of an artifact, if it is one of ours.
fn test_program(artifact: &Value) -> Option<(String, String, String)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if artifact["target"]["name"] != "it" {
        return None;
    }
    let manifest = text(&artifact["manifest_path"])?;
    let directory = manifest.strip_suffix("/Cargo.toml")?;
    let package = directory.rsplit('/').next()?;
    let is_ours = PACKAGES.contains(&package);
    let program = text(&artifact["executable"]).filter(|_| is_ours)?;
    Some((package.to_owned(), program, directory.to_owned()))
}
