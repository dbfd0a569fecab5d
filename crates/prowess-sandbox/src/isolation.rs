//! The seam between hosts and the ways to confine a process.

use std::fs::File;
use std::io::{self, Read};
use std::net::{Shutdown, TcpListener};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use crate::wire::MEMORY_USED_UP;
use crate::{Plan, Report, SandboxError};

/// A way to start confined processes.
///
/// # Behavior
///
/// - `spawn` starts nothing at a level below the demanded one: it returns
///   [`SandboxErrorKind::Unavailable`](crate::SandboxErrorKind::Unavailable) instead.
/// - A report lists only layers that the process itself has checked.
/// - The process ends with the host. It may end earlier: with the thread that called `spawn`, so
///   keep that until the process has ended. Its descendants end with it, and all of them end with
///   [`Running::end`].
/// - The process has no file of the host's open except the streams and the given files.
pub trait Isolation: Send + Sync {
    /// Builds every layer around an empty process and reports what worked.
    ///
    /// # Errors
    ///
    /// Not even [`Level::Floor`](crate::Level::Floor) can be built.
    fn probe(&self) -> Result<Report, SandboxError>;

    /// Starts a process and returns once it is confined. `files` are handed to it as open files.
    ///
    /// # Errors
    ///
    /// The stage cannot be started, or a demanded layer cannot be built. Nothing of the program
    /// ran.
    fn spawn(
        &self,
        plan: &Plan,
        streams: &Streams,
        files: &[BorrowedFd<'_>],
    ) -> Result<Running, SandboxError>;
}

/// The output streams of a process.
#[derive(Debug)]
pub struct Streams {
    /// Standard output.
    pub stdout: Stream,
    /// Standard error.
    pub stderr: Stream,
}

/// An output stream of a process.
#[derive(Debug)]
#[non_exhaustive]
pub enum Stream {
    /// The same stream of the host.
    Inherit,
    /// Output is discarded.
    Null,
    /// A pipe that the host reads from [`Running::child`].
    Piped,
    /// An open file.
    File(OwnedFd),
}

impl Stream {
    /// Returns the stream for a stage that goes on inside.
    pub(crate) fn to_stdio(&self) -> io::Result<Stdio> {
        Ok(match self {
            Self::Inherit => Stdio::inherit(),
            Self::Null => Stdio::null(),
            Self::Piped => Stdio::piped(),
            Self::File(file) => Stdio::from(file.try_clone()?),
        })
    }

    /// Opens the stream for a program that replaces a stage. A pipe has an end for the host.
    pub(crate) fn open(&self, of_host: impl AsFd) -> io::Result<(OwnedFd, Option<OwnedFd>)> {
        Ok(match self {
            Self::Inherit => (of_host.as_fd().try_clone_to_owned()?, None),
            Self::Null => (File::options().write(true).open("/dev/null")?.into(), None),
            Self::Piped => {
                let (reader, writer) = io::pipe()?;
                (writer.into(), Some(reader.into()))
            }
            Self::File(file) => (file.try_clone()?, None),
        })
    }
}

impl Streams {
    /// Returns the streams of this process.
    pub fn inherit() -> Self {
        Self { stdout: Stream::Inherit, stderr: Stream::Inherit }
    }

    /// Returns pipes that the host reads from [`Running::child`].
    pub fn piped() -> Self {
        Self { stdout: Stream::Piped, stderr: Stream::Piped }
    }

    /// Returns streams whose output is discarded.
    pub fn null() -> Self {
        Self { stdout: Stream::Null, stderr: Stream::Null }
    }
}

/// A process that is confined and running.
#[derive(Debug)]
pub struct Running {
    /// The outermost process. Its end is that of the confined one, with the same exit status.
    /// Killing it kills the confined one, but without namespaces not every orphan: see
    /// [`Running::end`].
    pub child: Child,
    /// The host's end of the connection that [`enter`](crate::enter) returns the other end of. A
    /// program that replaced the stage ends when it is closed.
    pub socket: UnixStream,
    /// The listener at [`Plan::proxy_port`] in the network of the process: a connection that it
    /// makes is accepted here, and has no other way out. `None` if the plan has no such port.
    pub listener: Option<TcpListener>,
    /// The layers around the process.
    pub report: Report,
    pub(crate) has_used_up_memory: bool,
}

/// How long the stage may take to end every process.
const END: Duration = Duration::from_secs(1);

impl Running {
    /// Ends the process and its descendants if they still run, and returns the exit status of
    /// [`Running::child`].
    ///
    /// # Errors
    ///
    /// The process was waited for elsewhere.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        let (status, has_used_up_memory) = end(&mut self.child, &self.socket)?;
        self.has_used_up_memory |= has_used_up_memory;
        Ok(status)
    }

    /// Returns whether the kernel has killed a process because the memory of all of them was used
    /// up. Known after [`Running::end`], if a control group counts the memory of a process that
    /// has namespaces or may start others.
    pub fn has_used_up_memory(&self) -> bool {
        self.has_used_up_memory
    }
}

/// Ends a stage, confined or not, and its descendants. Returns also whether it has reported that
/// the memory was used up.
pub(crate) fn end(child: &mut Child, mut socket: &UnixStream) -> io::Result<(ExitStatus, bool)> {
    // The stage ends every process when this connection closes, and closes its own end then.
    let _ = socket.shutdown(Shutdown::Write);
    let _ = socket.set_read_timeout(Some(END));
    let mut report = [0];
    let has_reported = socket.read(&mut report).is_ok() && report == [MEMORY_USED_UP];
    // Its last word comes before its end.
    let _ = has_reported.then(|| socket.read(&mut [0]));
    // The process is not waited for yet, so the number of its group cannot belong to another.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.kill();
    let status = child.wait()?;
    // A stage cannot remove its group from inside.
    crate::stage::remove_groups_of(child.id());
    Ok((status, has_reported))
}
