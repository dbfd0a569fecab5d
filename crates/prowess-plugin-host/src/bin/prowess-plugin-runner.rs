//! `prowess-plugin-runner` runs one plugin in a separate process. It is started by a host.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    prowess_plugin_host::run_process()
}
