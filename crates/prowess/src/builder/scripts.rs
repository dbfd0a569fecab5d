//! The scripts of skills: their runner, or the sandbox and the secrets of the built-in one.

#[cfg(feature = "scripts")]
use std::path::PathBuf;
use std::sync::Arc;

use prowess_core::ScriptRunner;

use super::RuntimeBuilder;

impl RuntimeBuilder {
    /// Sets the runner of the scripts of skills. By default there is none, and calls that would run
    /// one are refused. The feature `scripts` has a runner: `script::SandboxedScripts`.
    #[must_use]
    pub fn script_runner(mut self, runner: Arc<dyn ScriptRunner>) -> Self {
        self.script_runner = Some(runner);
        self
    }

    /// Runs the scripts of skills in confined processes, by the policy `scripts`. `stage` is a
    /// program that calls [`run_stage`](prowess_sandbox::run_stage) at its start, and packages are
    /// copied below `directory`, which must exist.
    #[cfg(feature = "scripts")]
    #[must_use]
    pub fn sandboxed_scripts(
        mut self,
        stage: prowess_sandbox::Program,
        directory: impl Into<PathBuf>,
    ) -> Self {
        self.sandboxed_scripts = Some((stage, directory.into()));
        self
    }

    /// Sets how the secrets of the policy `scripts` are read. By default, no script that is granted
    /// one runs. With the feature `audit`, each secret is registered with the redactor.
    #[cfg(feature = "scripts")]
    #[must_use]
    pub fn script_secrets(mut self, read: prowess_script::ReadSecret) -> Self {
        self.script_secrets = Some(read);
        self
    }
}
