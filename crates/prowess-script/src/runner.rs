//! Runs scripts.

use std::io;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use prowess_core::{
    Cancel, Code, ReadLimit, ResourcePath, ScriptError, ScriptIsolation, ScriptOutcome,
    ScriptRequest, ScriptRunner,
};
use prowess_sandbox::{
    Confinement, Isolation, Plan, Program, Report, Rights, SandboxError, SandboxErrorKind, Streams,
};
use prowess_text::quoted;

use crate::explanation::{PACKAGE, SCRATCH, ScriptExplanation};
use crate::input::input_file;
use crate::process::{Ended, supervise};
use crate::slots::Slots;
use crate::staged::{Places, Staged};
use crate::{ScriptPolicy, codes, environment, interpreter};

/// The longest run.
const MOST_TIME: Duration = Duration::from_secs(600);
/// Files of the system that interpreters read besides its libraries.
const SYSTEM: [&str; 3] = ["/usr/share", "/etc/mime.types", "/etc/ssl/openssl.cnf"];

/// Runs scripts in confined processes.
///
/// A script may run for ten minutes at most, whatever the call allows.
pub struct SandboxedScripts {
    isolation: Arc<dyn Isolation>,
    stage: Program,
    directory: PathBuf,
    policy: ScriptPolicy,
    slots: Slots,
}

impl SandboxedScripts {
    /// Creates a runner. `stage` is a program that calls [`prowess_sandbox::run_stage`], and
    /// packages are copied below `directory`, which must exist.
    pub fn new(
        isolation: Arc<dyn Isolation>,
        stage: Program,
        directory: impl Into<PathBuf>,
        policy: ScriptPolicy,
    ) -> Self {
        let slots = Slots::new(policy.concurrent);
        Self { isolation, stage, directory: directory.into(), policy, slots }
    }

    /// Returns what a script may do, without running it.
    ///
    /// # Errors
    ///
    /// The script cannot be read, or nothing can run it.
    pub fn explain(&self, request: &ScriptRequest<'_>) -> Result<ScriptExplanation, ScriptError> {
        let limit = ReadLimit(self.policy.package_bytes);
        let script = request.catalog.read(request.record, request.path, limit);
        let script = script.map_err(|error| {
            let message = format!("{error}; list the skill's files to find the script");
            ScriptError::new(Code::new(error.kind.as_str()), message)
        })?;
        let places = Places { package: PACKAGE.into(), scratch: SCRATCH.into() };
        let plan = self.plan(request, &script, &places)?;
        let consent = self.policy.consent(request.record.trust());
        Ok(ScriptExplanation::of(&plan, consent, self.policy.output_bytes))
    }

    /// Refuses a script that needs an approval and has none: the gate has asked for it, unless the
    /// skill was loaded in between.
    fn check_consent(&self, request: &ScriptRequest<'_>) -> Result<(), ScriptError> {
        let reason = self.policy.consent(request.record.trust());
        let Some(reason) = reason.filter(|_| request.approved.is_none()) else { return Ok(()) };
        let message = format!(
            "scripts of {} run only with the approval of a person, because {reason}; follow the \
             skill's instructions without the script, or tell the user",
            quoted(request.record.id()),
        );
        Err(ScriptError::new(codes::SCRIPT_NOT_TRUSTED, message))
    }

    /// Returns the process for a request.
    fn plan(
        &self,
        request: &ScriptRequest<'_>,
        script: &[u8],
        places: &Places,
    ) -> Result<Plan, ScriptError> {
        let ScriptPolicy { interpreters, inline_metadata, search_path, level, limits, .. } =
            &self.policy;
        let file = places.file(request.path);
        let program = interpreter::program(
            interpreters,
            *inline_metadata,
            search_path,
            request.path,
            script,
            &file,
        )?;
        let program = request
            .arguments
            .iter()
            .fold(program, |program, argument| program.argument(argument.as_str()));
        let of_host = &self.policy.environment;
        let scratch = &places.scratch;
        let environment =
            environment::variables(search_path, scratch, of_host, request.environment)?;
        let directory = self.working_directory(request, places)?;
        let rights = self.rights(places);
        let confinement = Confinement { level: *level, rights, limits: limits.clone() };
        Ok(Plan { environment, directory, confinement, ..Plan::run(&self.stage, program) })
    }

    fn rights(&self, places: &Places) -> Rights {
        let ScriptPolicy { search_path, read, write, directory, network, .. } = &self.policy;
        let system = SYSTEM.map(PathBuf::from);
        let package = [places.package.clone()];
        let readable =
            system.iter().chain(&package).chain(search_path).chain(directory).chain(read);
        Rights {
            read: readable.cloned().collect(),
            write: write.iter().cloned().chain([places.scratch.clone()]).collect(),
            execute: search_path.iter().cloned().chain(package.iter().cloned()).collect(),
            network: *network,
            processes: true,
            private_tmp: true,
        }
    }

    /// Returns the directory in which the script starts.
    fn working_directory(
        &self,
        request: &ScriptRequest<'_>,
        places: &Places,
    ) -> Result<PathBuf, ScriptError> {
        let Some(wanted) = request.working_directory else {
            return Ok(self.policy.directory.clone().unwrap_or_else(|| places.package.clone()));
        };
        let wanted = wanted.trim_end_matches('/');
        if wanted.is_empty() || wanted == "." {
            return Ok(places.package.clone());
        }
        let directory = ResourcePath::new(wanted).ok().map(|path| places.file(&path));
        directory.filter(|directory| directory.is_dir()).ok_or_else(|| {
            let message = format!(
                "{} is no directory of the skill; name one relative to the skill's directory, or \
                 leave `workdir` out",
                quoted(wanted)
            );
            ScriptError::new(codes::WORKING_DIRECTORY_NOT_FOUND, message)
        })
    }
}

impl ScriptRunner for SandboxedScripts {
    fn run(
        &self,
        request: &ScriptRequest<'_>,
        time_limit: Duration,
        cancel: &Cancel,
    ) -> Result<ScriptOutcome, ScriptError> {
        self.check_consent(request)?;
        let time_limit = time_limit.min(MOST_TIME);
        let busy = || {
            let message = "too many scripts run at the moment; try again later";
            ScriptError::new(codes::SCRIPTS_BUSY, message)
        };
        let _slot = self.slots.take(Instant::now() + time_limit, cancel).ok_or_else(busy)?;
        let staged = Staged::copy(&self.directory, request, self.policy.package_bytes, cancel)?;
        let plan = self.plan(request, &staged.script, &staged.places)?;
        let input = input_file(request.input).map_err(|error| lost(&error))?;
        let files: Vec<_> = input.iter().map(AsFd::as_fd).collect();
        let mut running = self
            .isolation
            .spawn(&plan, &Streams::piped(), &files)
            .map_err(|error| not_confined(&error))?;
        let started = Instant::now();
        let most_output = self.policy.output_bytes;
        let ended = {
            let deadline = started + time_limit;
            supervise(&mut running, most_output, deadline, cancel, request.progress)
        };
        let outcome = outcome(ended.map_err(|error| lost(&error))?, started.elapsed());
        Ok(ScriptOutcome { isolation: Some(isolation(&running.report)), ..outcome })
    }
}

fn outcome(ended: Ended, duration: Duration) -> ScriptOutcome {
    let Ended { status, stdout, stderr, timed_out } = ended;
    let stdout_dropped = stdout.dropped();
    let stderr_dropped = stderr.dropped();
    ScriptOutcome {
        exit_code: status.code().filter(|_| !timed_out),
        truncated: stdout_dropped + stderr_dropped > 0,
        stdout_dropped,
        stderr_dropped,
        stdout: stdout.into_text(),
        stderr: stderr.into_text(),
        duration,
        timed_out,
        isolation: None,
    }
}

fn isolation(report: &Report) -> ScriptIsolation {
    let missing = report.missing.iter().map(|one| format!("{}: {}", one.layer, one.reason));
    ScriptIsolation {
        level: report.level.as_str().to_owned(),
        layers: report.layers.clone(),
        missing: missing.collect(),
    }
}

fn not_confined(error: &SandboxError) -> ScriptError {
    let message = if error.kind == SandboxErrorKind::Unavailable {
        format!("{error}; no script runs without it")
    } else {
        // The reason names a path of the host.
        tracing::warn!(target: "prowess", error = %error, "script_not_started");
        "the script's process cannot be started; ask the user to run `prowess doctor`".to_owned()
    };
    ScriptError::new(Code::new(error.kind.as_str()), message)
}

fn lost(error: &io::Error) -> ScriptError {
    let message = format!("the script's process was lost: {}; try again", error.kind());
    ScriptError::new(codes::SCRIPT_LOST, message)
}
