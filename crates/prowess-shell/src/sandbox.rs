//! One session's files and shell, and a thread for each of its commands.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use prowess_core::{Cancel, Catalog, ShellError, ShellOutcome};

use crate::codes;
use crate::interpreter::{End, Interpreter, STACK};
use crate::lost::{CommandThread, LostCommands};
use crate::mounts::Mounts;
use crate::output::{Output, Streams};
use crate::policy::ShellPolicy;
use crate::skill_files::SkillFiles;

/// How often a waiting call looks whether it was cancelled.
const CHECK: Duration = Duration::from_millis(10);
/// The time after its deadline in which a command must end.
const GRACE: Duration = Duration::from_secs(2);
/// The exit code of a command that a limit ended, as `timeout` has it.
const STOPPED: i32 = 124;
/// The exit code of a command that does not parse, as a shell has it.
const REFUSED: i32 = 2;

/// The files and the shell of one session.
pub(crate) struct Sandbox {
    id: String,
    skills: Arc<SkillFiles>,
    interpreter: Interpreter,
    policy: Arc<ShellPolicy>,
}

impl Sandbox {
    /// Creates a sandbox in which the skills of a catalog are mounted.
    pub(crate) fn new(
        catalog: &Arc<Catalog>,
        policy: &Arc<ShellPolicy>,
    ) -> Result<Self, ShellError> {
        let number = getrandom::u64().map_err(|error| {
            let message = format!("the system has no random numbers: {error}");
            ShellError::new(codes::SHELL_LOST, message)
        })?;
        let mounts = Arc::new(Mounts::new(catalog, policy));
        let skills = Arc::new(SkillFiles::new(policy.mount.as_str(), mounts));
        let interpreter = Interpreter::new(Arc::clone(&skills), policy);
        let policy = Arc::clone(policy);
        Ok(Self { id: format!("sandbox-{number:016x}"), skills, interpreter, policy })
    }

    /// Mounts the skills of a catalog instead of those of an earlier one.
    pub(crate) fn mount(&self, catalog: &Arc<Catalog>) {
        if !self.skills.mounts().is_of(catalog) {
            self.skills.remount(Arc::new(Mounts::new(catalog, &self.policy)));
        }
    }

    /// Runs a command. Without a sandbox in the answer, its state is lost, and its thread is among
    /// the lost ones if it still runs.
    pub(crate) fn run(mut self, command: &str, cancel: &Cancel, lost_ones: &LostCommands) -> Ran {
        let output = Output::new(self.policy.limits.output_bytes);
        let deadline = Instant::now() + self.policy.limits.time() + GRACE;
        let cancelled = self.interpreter.cancellation();
        let id = self.id.clone();
        let (sender, receiver) = sync_channel(1);
        let written = output.clone();
        let command = command.to_owned();
        let (mark, of_thread) = CommandThread::new();
        let started = thread::Builder::new().name("prowess-shell".to_owned()).stack_size(STACK);
        let started = started.spawn(move || {
            let _of_thread = of_thread;
            let end = catch_unwind(AssertUnwindSafe(|| self.interpreter.run(&command, &written)));
            // The receiver is gone if the command did not end in time.
            let _ = sender.send(end.ok().map(|end| (end, self)));
        });
        if let Err(error) = started {
            return Ran { result: Err(lost(&format!("no thread starts: {error}"))), sandbox: None };
        }
        let ended = wait(&receiver, deadline, cancel, || cancelled.store(true, Ordering::Relaxed));
        let streams = output.take();
        match ended {
            Ok((End::Lost, _)) => Ran::outcome(outcome(id, streams, End::Lost), None),
            Ok((end, sandbox)) => Ran::outcome(outcome(id, streams, end), Some(sandbox)),
            Err(error) => {
                lost_ones.add(&mark);
                Ran { result: Err(error), sandbox: None }
            }
        }
    }
}

/// The result of a command, and the sandbox if it can be used again.
pub(crate) struct Ran {
    pub(crate) result: Result<ShellOutcome, ShellError>,
    pub(crate) sandbox: Option<Sandbox>,
}

impl Ran {
    fn outcome(outcome: ShellOutcome, sandbox: Option<Sandbox>) -> Self {
        Self { result: Ok(outcome), sandbox }
    }
}

/// Waits until a command ends. A command that does not is left alone: its cancellation ends it at
/// its next step.
fn wait(
    receiver: &Receiver<Option<(End, Sandbox)>>,
    deadline: Instant,
    cancel: &Cancel,
    stop: impl Fn(),
) -> Result<(End, Sandbox), ShellError> {
    let mut deadline = deadline;
    let mut is_stopping = false;
    loop {
        match receiver.recv_timeout(CHECK) {
            Ok(Some(ended)) => return Ok(ended),
            Ok(None) | Err(RecvTimeoutError::Disconnected) => {
                return Err(lost("the shell broke down"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if !is_stopping && cancel.is_cancelled() {
            is_stopping = true;
            deadline = deadline.min(Instant::now() + GRACE);
            stop();
        }
        if Instant::now() >= deadline {
            stop();
            return Err(lost("the command did not end"));
        }
    }
}

fn outcome(sandbox: String, streams: Streams, end: End) -> ShellOutcome {
    let Streams { stdout, mut stderr, truncated } = streams;
    let (exit_code, stopped) = match end {
        End::Exit(code) => (code, None),
        End::Stopped(reason) => (STOPPED, Some(reason)),
        End::Lost => {
            let reason = "the command was cancelled, and the files of this sandbox are dropped";
            (STOPPED, Some(reason.to_owned()))
        }
        End::Refused(message) => {
            stderr.push_str(&message);
            (REFUSED, None)
        }
    };
    ShellOutcome { sandbox, exit_code, stdout, stderr, truncated, stopped }
}

fn lost(reason: &str) -> ShellError {
    let message = format!(
        "{reason}, and the files of its sandbox are dropped; try again with a simpler command"
    );
    ShellError::new(codes::SHELL_LOST, message)
}
