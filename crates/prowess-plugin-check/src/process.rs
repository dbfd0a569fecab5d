//! One check in a process of its own, from the side that waits for it.
//!
//! The process is confined like that of a plugin in use, because the kit runs code that is not
//! checked yet.

use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::net::UnixStream;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use prowess_sandbox::{
    Isolation, Native, Plan, Running, SandboxError, SandboxErrorKind, Stream, Streams,
};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::CheckSetup;
use super::messages::{Ask, Say};
use super::report::CheckOutcome;
use super::rules::Rule;
use prowess_plugin_host::Launch;
use prowess_plugin_host::kit::{died, frame};

/// How long a process may take to end once it has said what it found.
const LAST_BREATH: Duration = Duration::from_secs(2);
const MOMENT: Duration = Duration::from_millis(2);
/// How much of the output of a process is reported.
const MOST_WORDS: usize = 300;

const HELP: &str = "fix the plugin: an operator who runs it in the host would lose the host";

/// The programs that a plugin may run while the rule about processes is checked. They inherit the
/// confinement.
const PROGRAMS: [&str; 3] = ["/bin", "/usr/bin", "/usr/local/bin"];

/// The setup that the checks of one plugin share.
pub(super) struct CheckProcess<'a> {
    pub(super) setup: &'a CheckSetup,
    pub(super) launch: Launch,
}

/// The messages of a process.
#[derive(Default)]
struct Received {
    step: String,
    outcome: Option<CheckOutcome>,
    is_late: bool,
    /// Why what the process said could not be read.
    fault: Option<String>,
}

impl CheckProcess<'_> {
    /// Runs a check to its end, whatever that is.
    pub(super) fn run(&self, rule: &Rule) -> CheckOutcome {
        self.attempt(rule).unwrap_or_else(|error| self.not_started(&error))
    }

    fn attempt(&self, rule: &Rule) -> io::Result<CheckOutcome> {
        let mut printed = tempfile::tempfile()?;
        let streams = Streams {
            stdout: Stream::File(tempfile::tempfile()?.into()),
            stderr: Stream::File(printed.try_clone()?.into()),
        };
        let Running { mut child, socket, .. } = match self.start(rule, &streams) {
            Ok(running) => running,
            Err(error) if error.kind == SandboxErrorKind::NotStarted => {
                return Err(io::Error::other(error.reason));
            }
            Err(SandboxError { reason, help, .. }) => {
                let reason = format!("its process cannot be confined: {reason}");
                return Ok(CheckOutcome::failed(reason, help));
            }
        };
        // A process that died at once takes nothing; how it died is seen below.
        let _ = self.ask(&socket, rule);
        let received = receive(&socket, self.setup.deadline);
        let status = bury(&mut child, !received.is_late);
        Ok(self.judge(received, status, &last_words(&mut printed)))
    }

    fn start(&self, rule: &Rule, streams: &Streams) -> Result<Running, SandboxError> {
        let plan = self.plan(rule);
        let files = [self.launch.library.as_fd()];
        Native::new(plan.stage.clone()).spawn(&plan, streams, &files)
    }

    /// Returns how the process is confined: as in use, and it may start others for one rule.
    fn plan(&self, rule: &Rule) -> Plan {
        let mut plan = self.launch.plan();
        if rule.allows_processes {
            let rights = &mut plan.confinement.rights;
            rights.processes = true;
            rights.execute.extend(PROGRAMS.map(Into::into));
        }
        plan
    }

    fn not_started(&self, error: &io::Error) -> CheckOutcome {
        let program = self.launch.program.display();
        let reason = format!("the check cannot be given a process by `{program}`: {error}");
        CheckOutcome::failed(reason, "see to it that this program can be started by its path")
    }

    fn ask(&self, socket: &UnixStream, rule: &Rule) -> io::Result<()> {
        let ask = Ask {
            rule: rule.name.to_owned(),
            file: self.launch.file.display().to_string(),
            config: self.launch.config.clone(),
            limits: self.launch.limits.clone(),
        };
        frame::write(&mut &*socket, &ask, &[])
    }

    fn judge(&self, received: Received, status: Option<ExitStatus>, words: &str) -> CheckOutcome {
        let died = died(status);
        let step = match &*received.step {
            "" => "opening it",
            step => step,
        };
        match received.outcome {
            None if received.is_late => {
                let seconds = self.setup.deadline.as_secs();
                CheckOutcome::failed(format!("{step} did not end within {seconds} s{words}"), HELP)
            }
            None if received.fault.is_some() => {
                let fault = received.fault.unwrap_or_default();
                let reason = format!("{step} made its process report what cannot be read: {fault}");
                CheckOutcome::failed(reason, HELP)
            }
            None => CheckOutcome::failed(format!("{step} {died}{words}"), HELP),
            Some(failed @ CheckOutcome::Failed { .. }) => failed,
            Some(_) if !status.is_some_and(|status| status.success()) => {
                CheckOutcome::failed(format!("when all was done, it {died}{words}"), HELP)
            }
            Some(outcome) => outcome,
        }
    }
}

/// Reads the messages of the process until it is done, gone or late. The deadline is for one step.
fn receive(socket: &UnixStream, deadline: Duration) -> Received {
    let mut received = Received::default();
    let mut end = Instant::now() + deadline;
    while received.outcome.is_none() {
        let left = end.saturating_duration_since(Instant::now());
        received.is_late = left.is_zero() || socket.set_read_timeout(Some(left)).is_err();
        if received.is_late {
            break;
        }
        match frame::read::<Say>(&mut &*socket, frame::DOCUMENT_BYTES, 0) {
            Ok(Some((Say::Step(step), _))) => {
                received.step = step;
                end = Instant::now() + deadline;
            }
            Ok(Some((Say::Done(outcome), _))) => received.outcome = Some(outcome),
            Ok(None) => break,
            Err(error) if is_timeout(&error) => {}
            Err(error) => {
                let is_end = error.kind() == io::ErrorKind::UnexpectedEof;
                received.fault = (!is_end).then(|| error.to_string());
                break;
            }
        }
    }
    received
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// Waits for the end of a process, and ends it with all that it has started if it does not come.
fn bury(child: &mut Child, is_waited_for: bool) -> Option<ExitStatus> {
    let end = Instant::now() + if is_waited_for { LAST_BREATH } else { Duration::ZERO };
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw)?;
    while Instant::now() < end && !has_ended(pid) {
        std::thread::sleep(MOMENT);
    }
    // As long as it is not waited for, its number is no other process's.
    let _ = kill_process_group(pid, Signal::KILL);
    child.wait().ok()
}

/// Whether the process has ended. It is not waited for.
fn has_ended(pid: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
}

/// The end of what it printed, to be put after a reason.
fn last_words(printed: &mut std::fs::File) -> String {
    let mut bytes = Vec::new();
    let length = printed.metadata().map_or(0, |metadata| metadata.len());
    let most = MOST_WORDS as u64;
    let read = printed
        .seek(SeekFrom::Start(length.saturating_sub(most)))
        .and_then(|_| printed.take(most).read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(&bytes);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match (read, text.is_empty()) {
        (Ok(_), false) => format!("; it printed `{text}`"),
        _ => String::new(),
    }
}
