//! Starts and ends the process of a plugin.

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

/// How often the exit status of a process is checked after its connection has closed.
const EXIT_CHECKS: u32 = 100;
/// The pause between two of these checks.
const CHECK_PAUSE: Duration = Duration::from_millis(2);

/// A confined and running process. Dropping it kills the process.
pub(super) struct Process {
    child: Child,
    /// Carries calls and their answers.
    pub(super) socket: UnixStream,
    /// Carries changes that watches report.
    pub(super) changes: UnixStream,
    /// Carries answers to the questions of tools.
    pub(super) answers: UnixStream,
    /// The level of confinement, for the log.
    pub(super) level: &'static str,
    /// Joined after the process has ended.
    output: Option<OutputReader>,
}

/// Starts the process of a plugin. The process ends with the current thread.
pub(super) fn start(launch: &Launch, clock: Arc<dyn Clock>) -> Result<Process, PluginError> {
    let io_failed = |error: io::Error| launch.not_started(&error);
    let (changes, child_changes) = UnixStream::pair().map_err(io_failed)?;
    let (answers, child_answers) = UnixStream::pair().map_err(io_failed)?;
    let (printed, writer) = io::pipe().map_err(io_failed)?;
    let stderr = writer.try_clone().map_err(io_failed)?;
    let plan = launch.plan();
    let isolation = Native::new(plan.stage.clone());
    let streams =
        Streams { stdout: Stream::File(writer.into()), stderr: Stream::File(stderr.into()) };
    let files = [launch.library.as_fd(), child_changes.as_fd(), child_answers.as_fd()];
    let started = isolation.spawn(&plan, &streams, &files);
    let Running { child, socket, report, .. } = started.map_err(|error| refused(launch, &error))?;
    let level = report.level.as_str();
    let mut process = Process { child, socket, changes, answers, level, output: None };
    process.output = Some(OutputReader::start(printed, clock).map_err(io_failed)?);
    Ok(process)
}

/// Reports the sandbox that this machine offers for plugins, by confining a process of `program`.
/// With these arguments, the program calls [`run_process`](crate::run_process).
///
/// # Errors
///
/// Returns an error if the program cannot be started or not even the lowest level is available.
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
    pub(super) fn send_hello(&self, launch: &Launch) -> io::Result<()> {
        let hello = Hello {
            protocol: PROTOCOL,
            file: launch.file.display().to_string(),
            config: launch.config.clone(),
            limits: launch.limits.clone(),
        };
        write(&mut &self.socket, &hello, &[])
    }

    /// Waits for a process whose connection has closed, and returns its exit status. With
    /// `kill_at_once`, or if it does not end, the process is killed.
    pub(super) fn reap(mut self, kill_at_once: bool) -> Option<ExitStatus> {
        for _ in 0..if kill_at_once { 0 } else { EXIT_CHECKS } {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) => std::thread::sleep(CHECK_PAUSE),
                Err(_) => break,
            }
        }
        // An error means that it has just ended.
        let _ = self.child.kill();
        self.child.wait().ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        prowess_sandbox::remove_ended_groups();
        if let Some(output) = self.output.take() {
            output.join();
        }
    }
}

/// Describes how a process ended.
pub(crate) fn describe_exit(status: Option<ExitStatus>) -> String {
    match status.map(|status| (status.signal(), status.code())) {
        Some((Some(signal), _)) => format!("ended its process by signal {signal}"),
        Some((_, Some(code))) => format!("ended its process with exit code {code}"),
        _ => "ended its process".into(),
    }
}
