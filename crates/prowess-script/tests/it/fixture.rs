//! A package in memory, and a runner that runs its scripts.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use prowess_core::{
    Cancel, Catalog, Digest, MemorySource, Progress, ResourcePath, ScriptError, ScriptOutcome,
    ScriptRequest, ScriptRunner,
};
use prowess_sandbox::{Native, Program};
use prowess_script::{ReadSecret, SandboxedScripts, ScriptPolicy};
use prowess_testkit::{build_program, catalog_over};
use tempfile::TempDir;

/// More time than any script of the tests needs on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A skill with scripts, and a runner for them.
pub(crate) struct Skill {
    pub(crate) catalog: Arc<Catalog>,
    runner: SandboxedScripts,
    pub(crate) directory: TempDir,
}

/// The input of a call.
#[derive(Default)]
pub(crate) struct Call<'a> {
    pub(crate) arguments: &'a [&'a str],
    pub(crate) environment: &'a [(&'a str, &'a str)],
    pub(crate) working_directory: Option<&'a str>,
    pub(crate) approved: Option<Digest>,
    pub(crate) progress: Progress<'a>,
}

fn stage() -> Program {
    static STAGE: OnceLock<std::path::PathBuf> = OnceLock::new();
    let build = || build_program("prowess-sandbox", "prowess-sandbox-stage");
    Program::new(STAGE.get_or_init(build))
}

impl Skill {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        Self::with(files, ScriptPolicy::default())
    }

    pub(crate) fn with(files: &[(&str, &str)], policy: ScriptPolicy) -> Self {
        Self::granted(files, |_| policy, None)
    }

    /// Creates a skill whose policy depends on the digest of its package.
    pub(crate) fn granted(
        files: &[(&str, &str)],
        policy: impl FnOnce(Digest) -> ScriptPolicy,
        read_secret: Option<ReadSecret>,
    ) -> Self {
        let skill_md = "---\nname: kit\ndescription: Runs scripts.\n---\nRun them.\n";
        let mut source = MemorySource::builder("memory").file("kit/SKILL.md", skill_md);
        for (path, content) in files {
            source = source.file(&format!("kit/{path}"), content);
        }
        let source = Arc::new(source.build().unwrap());
        let catalog = catalog_over(source, [("kit", "Runs scripts.", &[][..])]);
        let directory = tempfile::tempdir().unwrap();
        let isolation = Arc::new(Native::new(stage()));
        let record = catalog.get("kit").unwrap();
        let policy = policy(catalog.package_digest(record, &Cancel::default()).unwrap());
        let mut runner = SandboxedScripts::new(isolation, stage(), directory.path(), policy);
        if let Some(read_secret) = read_secret {
            runner = runner.secrets(read_secret);
        }
        Self { catalog, runner, directory }
    }

    pub(crate) fn runner(&self) -> &dyn ScriptRunner {
        &self.runner
    }

    /// Runs a script without arguments, which has to start.
    pub(crate) fn run(&self, path: &str) -> ScriptOutcome {
        self.call(path, &Call::default()).unwrap()
    }

    pub(crate) fn call(&self, path: &str, call: &Call<'_>) -> Result<ScriptOutcome, ScriptError> {
        self.call_within(path, call, PATIENCE, &Cancel::default())
    }

    pub(crate) fn call_within(
        &self,
        path: &str,
        call: &Call<'_>,
        time_limit: Duration,
        cancel: &Cancel,
    ) -> Result<ScriptOutcome, ScriptError> {
        let arguments: Vec<_> = call.arguments.iter().map(ToString::to_string).collect();
        let variables = call.environment.iter();
        let variables: BTreeMap<_, _> =
            variables.map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let request = ScriptRequest {
            catalog: &self.catalog,
            record: self.catalog.get("kit").unwrap(),
            path: &ResourcePath::new(path).unwrap(),
            arguments: &arguments,
            environment: &variables,
            working_directory: call.working_directory,
            input: &[],
            approved: call.approved,
            progress: call.progress,
        };
        self.runner.run(&request, time_limit, cancel)
    }

    /// Returns the code of a call that starts nothing.
    pub(crate) fn refused(&self, path: &str, call: &Call<'_>) -> (String, String) {
        let error = self.call(path, call).unwrap_err();
        (error.code.to_string(), error.message)
    }
}
