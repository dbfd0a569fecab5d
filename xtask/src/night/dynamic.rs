//! `cargo xtask dynamic`: the facade's and the command line's tests, with built-in sources that are
//! plugins.

use super::plugins;
use crate::process::{Failure, built, run as run_program};
use crate::selection::{Selection, TEST_THREADS};
use crate::test::executables;

/// The packages whose tests can run either way.
pub(super) const PACKAGES: [&str; 2] = ["prowess", "prowess-cli"];

/// The modules in which a built-in source takes part. Other tests would only run twice.
pub(super) const MODULES: [&str; 8] = [
    "sources::", "second_start::", "contract::", "serve::", "hot_equals_cold::", "presets::",
    "trust::", "plugin",
];

/// Runs the tests that `cargo xtask test` built, with the plugins in `target/plugins`.
pub(crate) fn run() -> Result<(), Failure> {
    let plugins = plugins::build()?;
    let debug = built("debug", "")?;
    let executables = executables::build(Selection::Full, &PACKAGES)?;
    for executable in executables.iter().filter(|it| it.target() == "it") {
        println!("{}", executable.name());
        let mut command = executable.command();
        command.args(MODULES);
        command.env("PROWESS_TEST_DYNAMIC", &plugins).env("PROWESS_TEST_PLUGINS", &debug);
        command.env("RUST_TEST_THREADS", TEST_THREADS);
        run_program(&mut command)?;
    }
    Ok(())
}
