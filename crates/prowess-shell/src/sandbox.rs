//! One session's files and shell, and a thread for each of its commands.

use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use prowess_core::{Cancel, Catalog, ReadRule, ShellError, ShellOutcome, ShellRequest};
use prowess_sandbox::{Native, SandboxErrorKind};

use crate::codes;
use crate::interpreter::{Interpreter, STACK};
use crate::lost::{CommandThread, LostCommands};
use crate::memory::Share;
use crate::messages::{End, Streams};
use crate::mounts::Mounts;
use crate::output::Output;
use crate::policy::ShellPolicy;
use crate::process::{Process, REPORT};
use crate::skill_files::SkillFiles;

/// How often a waiting call looks whether it was cancelled.
const CHECK: Duration = Duration::from_millis(10);
/// The time after its deadline in which a command must end.
const GRACE: Duration = Duration::from_secs(2);
/// The stack of a thread that waits for a process, and reads files for it.
const HOST_STACK: usize = 2 << 20;
/// The exit code of a command that a limit ended, as `timeout` has it.
const STOPPED: i32 = 124;
/// The exit code of a command that does not parse, as a shell has it.
const REFUSED: i32 = 2;

/// The files and the shell of one session.
pub(crate) struct Sandbox {
    id: String,
    engine: Engine,
    /// The part of the memory of all sandboxes that is this one's.
    pub(crate) share: Share,
    policy: Arc<ShellPolicy>,
}

/// Runs the commands of a sandbox.
enum Engine {
    /// An interpreter in the host's own process.
    Here(Arc<SkillFiles>, Box<Interpreter>),
    Process(Process),
}

impl Engine {
    /// Starts a process, where there is a program for it and the machine has what it takes.
    fn new(
        catalog: &Arc<Catalog>,
        policy: &Arc<ShellPolicy>,
        native: Option<&Arc<Native>>,
    ) -> Result<Self, ShellError> {
        match native.map(|native| Process::start(native, policy)) {
            Some(Ok(process)) => Ok(Self::Process(process)),
            Some(Err(error)) if error.kind != SandboxErrorKind::Unavailable => {
                let message = format!("no process starts for the shell: {}", error.reason);
                Err(ShellError::new(codes::SHELL_EXHAUSTED, message + "; try again later"))
            }
            _ => {
                let mounts = Arc::new(Mounts::new(catalog, policy));
                let skills = Arc::new(SkillFiles::new(policy.mount.as_str(), mounts));
                let interpreter = Interpreter::new(Arc::clone(&skills), policy);
                Ok(Self::Here(skills, Box::new(interpreter)))
            }
        }
    }
}

impl Sandbox {
    /// Creates a sandbox in which the skills of a catalog are mounted.
    pub(crate) fn new(
        catalog: &Arc<Catalog>,
        policy: &Arc<ShellPolicy>,
        native: Option<&Arc<Native>>,
        share: Share,
    ) -> Result<Self, ShellError> {
        let number = getrandom::u64().map_err(|error| {
            let message = format!("the system has no random numbers: {error}");
            ShellError::new(codes::SHELL_LOST, message)
        })?;
        let engine = Engine::new(catalog, policy, native)?;
        let policy = Arc::clone(policy);
        Ok(Self { id: format!("sandbox-{number:016x}"), engine, share, policy })
    }

    /// Runs a command. Without a sandbox in the answer, its state is lost, and its thread is among
    /// the lost ones if it still runs.
    pub(crate) fn run(
        mut self,
        request: &ShellRequest<'_>,
        cancel: &Cancel,
        lost_ones: &LostCommands,
    ) -> Ran {
        let output = Output::new(self.policy.limits.output_bytes);
        let deadline = Instant::now() + self.policy.limits.time() + GRACE;
        let id = self.id.clone();
        let (sender, receiver) = sync_channel(1);
        let written = output.clone();
        let (command, catalog) = (request.command.to_owned(), Arc::clone(request.catalog));
        let rule = request.rule.cloned();
        let Ok((socket, theirs)) = UnixStream::pair() else {
            return Ran::lost("too many files are open");
        };
        let (stop, stack, patience): (Box<dyn Fn()>, _, _) = match &self.engine {
            Engine::Here(_, interpreter) => {
                let cancelled = interpreter.cancellation();
                let stop = move || cancelled.store(true, Ordering::Relaxed);
                (Box::new(stop), STACK, Duration::ZERO)
            }
            Engine::Process(_) => {
                (Box::new(move || drop(socket.shutdown(Shutdown::Both))), HOST_STACK, REPORT)
            }
        };
        let (mark, of_thread) = CommandThread::new();
        let started = thread::Builder::new().name("prowess-shell".to_owned()).stack_size(stack);
        let started = started.spawn(move || {
            let _of_thread = of_thread;
            let command = (&*command, rule.as_ref());
            let run = AssertUnwindSafe(|| self.engine_run(&catalog, command, theirs, &written));
            let end = catch_unwind(run).ok().flatten();
            // The receiver is gone if the command did not end in time.
            let _ = sender.send(end.map(|end| (end, self)));
        });
        if let Err(error) = started {
            return Ran::lost(&format!("no thread starts: {error}"));
        }
        let ended = wait(&receiver, (deadline, patience), cancel, stop);
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

    /// Runs a command with the skills of a catalog. Returns `None` if the sandbox is lost.
    fn engine_run(
        &mut self,
        catalog: &Arc<Catalog>,
        command: (&str, Option<&Arc<ReadRule>>),
        cancel: UnixStream,
        output: &Output,
    ) -> Option<End> {
        let (end, bytes) = match &mut self.engine {
            Engine::Here(skills, interpreter) => {
                if !skills.mounts().is_of(catalog) {
                    skills.remount(Arc::new(Mounts::new(catalog, &self.policy)));
                }
                skills.set_rule(command.1.cloned());
                (interpreter.run(command.0, output), interpreter.bytes())
            }
            Engine::Process(process) => {
                let ran = process.run(catalog, &self.policy, command, cancel, output).ok()?;
                (ran.end, ran.memory)
            }
        };
        self.share.set(bytes.min(self.policy.limits.memory_bytes));
        Some(end)
    }
}

/// The result of a command, and the sandbox if it can be used again.
pub(crate) struct Ran {
    pub(crate) result: Result<ShellOutcome, ShellError>,
    pub(crate) sandbox: Option<Sandbox>,
}

impl Ran {
    fn lost(reason: &str) -> Self {
        Self { result: Err(lost(reason)), sandbox: None }
    }

    fn outcome(outcome: ShellOutcome, sandbox: Option<Sandbox>) -> Self {
        Self { result: Ok(outcome), sandbox }
    }
}

/// Waits until a command ends, or its process reports within some time that it ended it. A command
/// that does not end is left alone: its cancellation ends it at its next step.
fn wait<T>(
    receiver: &Receiver<Option<T>>,
    (mut deadline, patience): (Instant, Duration),
    cancel: &Cancel,
    stop: impl Fn(),
) -> Result<T, ShellError> {
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
        }
        if is_stopping {
            // Again, because a command that begins takes the flag back.
            stop();
        }
        if Instant::now() >= deadline {
            let reported = receiver.recv_timeout(patience).ok().flatten();
            return reported.ok_or_else(|| {
                stop();
                lost("the command did not end")
            });
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
