//! The process of a sandbox on systems that have none.

/// Fails: commands run in the process of the host.
pub fn run_worker() -> std::process::ExitCode {
    prowess_sandbox::run_stage()
}
