//! Runs scripts.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use prowess_core::{
    Cancel, Code, OutputStream, ProgressEvent, ReadLimit, ResourcePath, ScriptError,
    ScriptIsolation, ScriptLimit, ScriptNetwork, ScriptOutcome, ScriptRequest, ScriptRunner,
};
use prowess_sandbox::{
    Confinement, Isolation, Plan, Program, Report, Rights, SandboxError, SandboxErrorKind, Streams,
};
use prowess_text::quoted;

use crate::environment::MOST_WORD_BYTES;
use crate::explanation::{PACKAGE, SCRATCH, ScriptExplanation};
use crate::input::input_file;
use crate::kept::Kept;
use crate::own_files::OwnFiles;
use crate::process::{Bounds, Ended, Reading, supervise};
use crate::secrets::Secrets;
use crate::slots::Slots;
use crate::staged::{Places, Staged};
use crate::{ReadSecret, ScriptPolicy, codes, environment, interpreter, network, secrets};

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
    read_secret: Option<ReadSecret>,
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
        let directory = directory.into();
        Self { isolation, stage, directory, policy, slots, read_secret: None }
    }

    /// Sets how the secrets of the policy are read. By default, no script that is granted one runs.
    #[must_use]
    pub fn secrets(mut self, read: ReadSecret) -> Self {
        self.read_secret = Some(read);
        self
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
        let kept = Kept::of(&self.policy.write, &places.scratch).paths();
        let plan = self.plan(request, &script, &places, &Secrets::default(), kept)?;
        let secrets = secrets::uses(&self.policy.secrets, request);
        let explanation = ScriptExplanation::of(&plan, &self.policy, request.record.trust());
        Ok(ScriptExplanation { secrets, ..explanation })
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
        secrets: &Secrets,
        keep: Vec<PathBuf>,
    ) -> Result<Plan, ScriptError> {
        let ScriptPolicy { interpreters, inline_metadata, search_path, level, limits, .. } =
            &self.policy;
        let file = places.file(request.path);
        let program = interpreter::program(
            interpreters, *inline_metadata, search_path, request.path, script, &file,
        )?;
        check_arguments(request.arguments)?;
        let program = request
            .arguments
            .iter()
            .fold(program, |program, argument| program.argument(argument.as_str()));
        let proxy_port = network::port(&self.policy);
        let environment = environment::variables(&environment::Parts {
            search_path,
            scratch: &places.scratch,
            of_host: &self.policy.environment,
            of_call: request.environment,
            secrets,
            proxy_port,
        })?;
        let directory = self.working_directory(request, places)?;
        let rights = Rights { keep, ..self.rights(places) };
        let confinement = Confinement { level: *level, rights, limits: limits.clone() };
        let plan = Plan::run(&self.stage, program);
        Ok(Plan { environment, directory, confinement, proxy_port, ..plan })
    }

    fn rights(&self, places: &Places) -> Rights {
        let ScriptPolicy { search_path, read, write, directory, .. } = &self.policy;
        let system = SYSTEM.map(PathBuf::from);
        let package = [places.package.clone()];
        let readable =
            system.iter().chain(&package).chain(search_path).chain(directory).chain(read);
        Rights {
            read: readable.cloned().collect(),
            write: write.iter().cloned().chain([places.scratch.clone()]).collect(),
            execute: search_path.iter().cloned().chain(package.iter().cloned()).collect(),
            processes: true,
            private_tmp: true,
            ..Rights::default()
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
        let trimmed = wanted.trim_end_matches('/');
        if wanted.is_empty() || trimmed == "." {
            return Ok(places.package.clone());
        }
        let directory = ResourcePath::new(trimmed).ok().map(|path| places.file(&path));
        directory.filter(|directory| directory.is_dir()).ok_or_else(|| {
            let message = format!(
                "{} is no directory of the skill; name one relative to the skill's directory, or \
                 leave `workdir` out",
                quoted(wanted)
            );
            ScriptError::new(codes::WORKING_DIRECTORY_NOT_FOUND, message)
        })
    }

    fn not_confined(&self, error: &SandboxError) -> ScriptError {
        let message = if error.kind == SandboxErrorKind::Unavailable {
            format!("{error}; no script runs without it")
        } else {
            // The reason names a path of the host.
            tracing::warn!(target: "prowess", error = %error, "script_not_started");
            format!(
                "the script's process cannot be started; tell the user: {}",
                self.policy.commands.diagnose
            )
        };
        ScriptError::new(Code::new(error.kind.as_str()), message)
    }
}

impl ScriptRunner for SandboxedScripts {
    fn run(
        &self,
        request: &ScriptRequest<'_>,
        time_limit: Duration,
        cancel: &Cancel,
    ) -> Result<ScriptOutcome, ScriptError> {
        network::check(&self.policy)?;
        self.check_consent(request)?;
        let time_limit = time_limit.min(MOST_TIME);
        let busy = || {
            let message = "too many scripts run at the moment; try again later";
            ScriptError::new(codes::SCRIPTS_BUSY, message)
        };
        let _slot = self.slots.take(Instant::now() + time_limit, cancel).ok_or_else(busy)?;
        let grants = &self.policy.secrets;
        let secrets = Secrets::read(grants, request, self.read_secret.as_ref(), cancel)?;
        // The copy is compared with the package that the secrets are granted to.
        let request = &ScriptRequest { approved: request.approved.or(secrets.package), ..*request };
        let egress = network::policy(&self.policy).map_err(|error| no_proxy(&error))?;
        let staged = Staged::copy(&self.directory, request, self.policy.package_bytes, cancel)?;
        let kept = Kept::of(&self.policy.write, &staged.places.scratch);
        let plan = self.plan(request, &staged.script, &staged.places, &secrets, kept.paths())?;
        let input = input_file(request.input).map_err(|error| lost(&error))?;
        let files: Vec<_> = input.iter().map(AsFd::as_fd).collect();
        let mut running = self
            .isolation
            .spawn(&plan, &Streams::piped(), &files)
            .map_err(|error| self.not_confined(&error))?;
        let values = secrets.values();
        let proxy = network::start(running.listener.take(), egress, secrets.headers);
        let proxy = proxy.map_err(|error| {
            // Nothing of it has reached a host: its connections were not accepted.
            let _ = running.end();
            no_proxy(&error)
        })?;
        let started = Instant::now();
        let ScriptRequest { progress, .. } = *request;
        let most_output = self.policy.output_bytes;
        let reading = Reading { most_output, secrets: &values, progress };
        let ScriptPolicy { scratch_files, scratch_bytes, .. } = self.policy;
        let own_files = OwnFiles::new(&staged.places.scratch, scratch_files, scratch_bytes);
        let bounds = Bounds { deadline: started + time_limit, cancel, own_files };
        let ended = supervise(&mut running, reading, bounds);
        let network = network::end(proxy, request.record.id());
        let aside = kept.set_aside_new();
        let mut outcome = outcome(ended.map_err(|error| lost(&error))?, started.elapsed());
        for line in aside {
            progress.report(ProgressEvent::Output { stream: OutputStream::Stderr, line: &line });
            outcome.stderr.push_str(&line);
        }
        let isolation = Some(isolation(&running.report));
        Ok(ScriptOutcome { isolation, network, ..outcome })
    }
}

/// Refuses what the kernel would refuse after everything is prepared.
fn check_arguments(arguments: &[String]) -> Result<(), ScriptError> {
    let long = arguments.iter().position(|argument| argument.len() > MOST_WORD_BYTES);
    let Some(index) = long else { return Ok(()) };
    let message = format!(
        "argument {} is longer than {MOST_WORD_BYTES} bytes; write it to a file, and pass the \
         file's name",
        index + 1
    );
    Err(ScriptError::new(codes::ARGUMENT_TOO_LONG, message))
}

fn outcome(ended: Ended, duration: Duration) -> ScriptOutcome {
    let Ended { status, stdout, stderr, limit } = ended;
    let stdout_dropped = stdout.dropped();
    let stderr_dropped = stderr.dropped();
    ScriptOutcome {
        exit_code: status.and_then(|status| status.code()),
        signal: status.and_then(|status| status.signal()),
        truncated: stdout_dropped + stderr_dropped > 0,
        stdout_dropped,
        stderr_dropped,
        stdout: stdout.into_text(),
        stderr: stderr.into_text(),
        duration,
        timed_out: limit == Some(ScriptLimit::Time),
        limit,
        isolation: None,
        network: ScriptNetwork::default(),
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

fn no_proxy(error: &io::Error) -> ScriptError {
    // The reason may name a path of the host.
    tracing::warn!(target: "prowess", error = %error, "script_not_started");
    let message = "the network that the operator grants cannot be prepared; ask the operator to \
        check `authorities` and `secrets` of the scripts";
    ScriptError::new(codes::SECRET_UNAVAILABLE, message)
}

fn lost(error: &io::Error) -> ScriptError {
    let message = format!("the script's process was lost: {}; try again", error.kind());
    ScriptError::new(codes::SCRIPT_LOST, message)
}
