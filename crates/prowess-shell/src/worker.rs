//! The process of a sandbox. It runs each command in a copy of itself.

#![allow(clippy::exit, reason = "a process that goes on in a copy ends, and a copy that fails")]

use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{ExitCode, exit};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use prowess_core::ReadRule;
use prowess_sandbox::{Inside, limit_address_space, peak_memory, receive, send};

use crate::ShellPolicy;
use crate::interpreter::{Interpreter, STACK};
use crate::messages::{Command, End, Hello, Line, Said, Undone};
use crate::mounts::Mounts;
use crate::output::Output;
use crate::skill_files::SkillFiles;

/// How often a command is checked for a cancellation.
const CHECK: Duration = Duration::from_millis(20);
/// How long a cancelled command, or one at its deadline, may take to end.
const GRACE: Duration = Duration::from_secs(1);

/// Serves the commands of one sandbox over standard input, which is a socket of the host, until the
/// host ends. A worker program does nothing else, and it calls this first: the process may only
/// have one thread. Its last argument is the number of bytes of memory that it may take.
///
/// A command runs in a copy of the process, which goes on for it if the command ends. So a command
/// that takes too much memory or does not end leaves everything as it was.
pub fn run_worker() -> ExitCode {
    match serve() {
        // The host has ended, or needs no more commands.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => ExitCode::SUCCESS,
        // The host has received the reason already, if there is a host.
        Err(_) | Ok(()) => prowess_sandbox::EXIT_NOT_CONFINED.into(),
    }
}

fn serve() -> io::Result<()> {
    let memory = std::env::args().next_back().and_then(|bytes| bytes.parse().ok());
    limit_address_space(memory.ok_or(io::ErrorKind::InvalidInput)?)?;
    let inside = prowess_sandbox::enter()?;
    let (Hello { mut policy, limits }, _) = receive(&inside.socket)?;
    policy.limits = limits;
    inside.go_on_in_copies()?;
    let mut state = State::new(policy);
    loop {
        let (command, sockets) = receive(&inside.socket)?;
        state = state.next(&inside, &command, sockets)?;
    }
}

/// The state between two commands.
struct State {
    policy: Arc<ShellPolicy>,
    line: Arc<Line>,
    skills: Arc<SkillFiles>,
    interpreter: Interpreter,
    /// The memory of the process without any command.
    base: u64,
}

impl State {
    fn new(policy: ShellPolicy) -> Self {
        let policy = Arc::new(policy);
        let line = Arc::new(Line::default());
        let mounts = Arc::new(Mounts::of_host(Vec::new(), &line, &policy));
        let skills = Arc::new(SkillFiles::new(policy.mount.as_str(), mounts));
        let interpreter = Interpreter::new(Arc::clone(&skills), &policy);
        Self { policy, line, skills, interpreter, base: peak_memory() }
    }

    /// Runs a command in a copy. Returns in the copy, or in this process if the copy has failed.
    fn next(self, inside: &Inside, command: &Command, sockets: Vec<OwnedFd>) -> io::Result<Self> {
        let sockets = <[_; 2]>::try_from(sockets).map_err(|_| io::ErrorKind::InvalidData)?;
        let (done, theirs) = UnixStream::pair()?;
        let undone = match inside.copy() {
            Ok(None) => {
                drop(done);
                let [line, cancel] = sockets.map(UnixStream::from);
                return self.run(command, line, cancel, &theirs);
            }
            Ok(Some(copy)) => {
                drop((sockets, theirs));
                let undone = wait_for(done, self.policy.limits.time() + GRACE);
                copy.end();
                undone
            }
            Err(_) => Undone::NotStarted,
        };
        send(&inside.socket, &undone, &[])?;
        Ok(self)
    }

    /// Runs a command, and returns the state after it.
    fn run(
        self,
        command: &Command,
        line: UnixStream,
        mut cancel: UnixStream,
        mut done: &UnixStream,
    ) -> io::Result<Self> {
        let Self { policy, line: host, skills, mut interpreter, base } = self;
        host.set(Some(line));
        if let Some(mounted) = &command.mounted {
            let mounts = Mounts::of_host(mounted.clone(), &host, &policy);
            skills.remount(Arc::new(mounts));
        }
        let line = Arc::clone(&host);
        let rule: Arc<ReadRule> = Arc::new(move |file| line.rule(file));
        skills.set_rule(command.is_ruled.then_some(rule));
        let cancelled = interpreter.cancellation();
        let output = Output::sent(policy.limits.output_bytes, Arc::clone(&host));
        let (sender, ended) = sync_channel(1);
        let (text, written) = (command.text.clone(), output.clone());
        let thread = thread::Builder::new().stack_size(STACK).spawn(move || {
            let end = interpreter.run(&text, &written);
            let _ = sender.send(end);
            interpreter
        })?;
        cancel.set_nonblocking(true)?;
        let mut deadline = None;
        let end = loop {
            match ended.recv_timeout(CHECK) {
                Ok(End::Lost) | Err(RecvTimeoutError::Disconnected) => exit(1),
                Ok(end) => break end,
                // Nothing is sent: it is the end of the connection.
                Err(RecvTimeoutError::Timeout) if cancel.read(&mut [0]).is_ok() => {
                    cancelled.store(true, Ordering::Relaxed);
                    let most = *deadline.get_or_insert_with(|| Instant::now() + GRACE);
                    if Instant::now() > most {
                        exit(1);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        let interpreter = thread.join().map_err(|_| io::ErrorKind::Other)?;
        let memory = peak_memory().saturating_sub(base);
        // From here on this process is the one that goes on.
        done.write_all(&[1])?;
        let _ = host.say(&Said::Ended { end, output: output.take(), memory });
        host.set(None);
        Ok(Self { policy, line: host, skills, interpreter, base })
    }
}

/// Waits for a copy. If it goes on, this process ends.
fn wait_for(mut done: UnixStream, most: Duration) -> Undone {
    let _ = done.set_read_timeout(Some(most));
    match done.read(&mut [0]) {
        Ok(1) => exit(0),
        Ok(_) => Undone::Broken,
        Err(_) => Undone::Late,
    }
}
