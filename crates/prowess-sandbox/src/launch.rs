//! A stage that was started and has no order yet.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};

use crate::wire::{self, Preparation};
use crate::{Plan, Program, Streams, isolation};

/// A stage that prepares itself or waits for its order.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) child: Child,
    pub(crate) socket: UnixStream,
}

impl Stage {
    /// Starts a stage that a program will replace. It gets everything else with its order.
    pub(crate) fn replaced(program: &Program, preparation: &Preparation) -> io::Result<Self> {
        let mut command = command(program);
        command.current_dir("/").stdout(Stdio::null()).stderr(Stdio::null());
        Self::start(command, preparation)
    }

    /// Starts a stage that goes on inside.
    pub(crate) fn kept(
        plan: &Plan,
        preparation: &Preparation,
        streams: &Streams,
    ) -> io::Result<Self> {
        let mut command = command(&plan.stage);
        command
            .envs(plan.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(&plan.directory)
            .stdout(streams.stdout.to_stdio()?)
            .stderr(streams.stderr.to_stdio()?);
        Self::start(command, preparation)
    }

    fn start(mut command: Command, preparation: &Preparation) -> io::Result<Self> {
        let (socket, theirs) = UnixStream::pair()?;
        let child = command.stdin(Stdio::from(OwnedFd::from(theirs))).spawn()?;
        let stage = Self { child, socket };
        // A program that is no stage may have closed the connection: the order reports it.
        let _ = wire::send(&stage.socket, preparation, &[]);
        Ok(stage)
    }

    /// Opens the streams of the program, and keeps the host's ends of pipes.
    pub(crate) fn open_streams(&mut self, streams: &Streams) -> io::Result<[OwnedFd; 2]> {
        let (stdout, of_host) = streams.stdout.open(io::stdout())?;
        self.child.stdout = of_host.map(ChildStdout::from);
        let (stderr, of_host) = streams.stderr.open(io::stderr())?;
        self.child.stderr = of_host.map(ChildStderr::from);
        Ok([stdout, stderr])
    }

    /// Ends the stage and what it has started.
    pub(crate) fn end(&mut self) {
        // Nothing else waits for it, so there is no error.
        let _ = isolation::end(&mut self.child, &self.socket);
    }
}

fn command(program: &Program) -> Command {
    let mut command = Command::new(&program.path);
    command.args(&program.arguments).env_clear().process_group(0);
    command
}

/// Returns the streams and the files of a plan, as an order hands them over.
pub(crate) fn handed_over<'a>(
    streams: &'a [OwnedFd],
    files: &[BorrowedFd<'a>],
) -> Vec<BorrowedFd<'a>> {
    streams.iter().map(AsFd::as_fd).chain(files.iter().copied()).collect()
}
