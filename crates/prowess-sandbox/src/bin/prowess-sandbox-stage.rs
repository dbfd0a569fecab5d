//! `prowess-sandbox-stage`: confines itself and becomes another program. A host starts it; people
//! do not.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    prowess_sandbox::run_stage()
}
