//! The process of a plugin, from its start to its end.

use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

use prowess_core::Clock;
use prowess_sandbox::{
    Isolation, Native, Program, Report, Running, SandboxError, SandboxErrorKind, Stream, Streams,
};

use super::Launch;
use super::frame::write;
use super::output::OutputReader;
use super::protocol::{Hello, PROTOCOL};
use crate::{PluginError, PluginErrorKind};

/// How often, and how long apart, a process that hung up is checked for its end, which is how its
/// reason becomes known.
const LAST_CHECKS: u32 = 100;
const CHECK_PAUSE: Duration = Duration::from_millis(2);

/// A process that is confined and running. Dropping it kills it.
pub(super) struct Process {
    child: Child,
    /// For calls and their answers.
    pub(super) socket: UnixStream,
    /// For the changes that watches report.
    pub(super) changes: UnixStream,
    /// For answers to the questions of tools.
    pub(super) answers: UnixStream,
    /// The isolation level, for the log.
    pub(super) level: &'static str,
    /// Joined when the process has ended.
    output: Option<OutputReader>,
}

/// Starts the process of a plugin. It ends with the thread that calls this.
pub(super) fn start(launch: &Launch, clock: Arc<dyn Clock>) -> Result<Process, PluginError> {
    let io_failed = |error: io::Error| launch.not_started(&error);
    let (changes, their_changes) = UnixStream::pair().map_err(io_failed)?;
    let (answers, their_answers) = UnixStream::pair().map_err(io_failed)?;
    let (printed, writer) = io::pipe().map_err(io_failed)?;
    let stderr = writer.try_clone().map_err(io_failed)?;
    let plan = launch.plan();
    let isolation = Native::new(plan.stage.clone());
    let streams =
        Streams { stdout: Stream::File(writer.into()), stderr: Stream::File(stderr.into()) };
    let files = [launch.library.as_fd(), their_changes.as_fd(), their_answers.as_fd()];
    let started = isolation.spawn(&plan, &streams, &files);
    let Running { child, socket, report } = started.map_err(|error| refused(launch, &error))?;
    let level = report.level.as_str();
    let mut process = Process { child, socket, changes, answers, level, output: None };
    process.output = Some(OutputReader::start(printed, clock).map_err(io_failed)?);
    Ok(process)
}

/// Reports the sandbox that this machine offers for plugins, by confining a process of `program`,
/// which calls [`run_process`](crate::run_process) when it gets these arguments.
///
/// # Errors
///
/// The program cannot be started, or not even the lowest level can be built.
pub fn probe_sandbox(program: PathBuf, arguments: Vec<OsString>) -> Result<Report, SandboxError> {
    Native::new(Program { path: program, arguments }).probe()
}

fn refused(launch: &Launch, error: &SandboxError) -> PluginError {
    let SandboxError { kind, reason, help } = error;
    let kind = match kind {
        SandboxErrorKind::Unavailable => PluginErrorKind::Sandbox,
        SandboxErrorKind::NotStarted => {
            return launch.not_started(&io::Error::other(reason.clone()));
        }
        _ => PluginErrorKind::Init,
    };
    PluginError::refused(kind, &launch.file, format!("cannot be confined: {reason}"), help)
}

impl Process {
    /// Sends the first message.
    pub(super) fn greet(&self, launch: &Launch) -> io::Result<()> {
        let hello = Hello {
            protocol: PROTOCOL,
            file: launch.file.display().to_string(),
            config: launch.config.clone(),
            limits: launch.limits.clone(),
        };
        write(&mut &self.socket, &hello, &[])
    }

    /// Waits for a process that hung up. It is killed if `is_wanted`, or if it does not end.
    pub(super) fn bury(mut self, is_wanted: bool) -> Option<ExitStatus> {
        for _ in 0..if is_wanted { 0 } else { LAST_CHECKS } {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) => std::thread::sleep(CHECK_PAUSE),
                Err(_) => break,
            }
        }
        // It may have ended just now.
        let _ = self.child.kill();
        self.child.wait().ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(output) = self.output.take() {
            output.join();
        }
    }
}

/// Describes how a process ended.
pub fn died(status: Option<ExitStatus>) -> String {
    match status.map(|status| (status.signal(), status.code())) {
        Some((Some(signal), _)) => format!("ended its process by signal {signal}"),
        Some((_, Some(code))) => format!("ended its process with exit code {code}"),
        _ => "ended its process".into(),
    }
}
