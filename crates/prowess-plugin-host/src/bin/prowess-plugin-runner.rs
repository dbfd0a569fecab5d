//! `prowess-plugin-runner`: one plugin in a process of its own. A host starts it; people do not.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    prowess_plugin_host::run_process()
}
