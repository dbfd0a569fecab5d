//! `prowess-shell-worker`: runs the commands of one sandbox. A host starts it; people do not.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    prowess_shell::run_worker()
}
