//! A running script: its output, its deadline and its end.

use std::io::{self, Read, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use prowess_core::{Cancel, OutputStream, Progress, ProgressEvent, ScriptLimit};
use prowess_egress::{Mask, SecretValue};
use prowess_sandbox::Running;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::Signal;

use crate::output::{Kept, Lines};
use crate::own_files::OwnFiles;

/// How often a run looks whether it was cancelled.
const CHECK: Duration = Duration::from_millis(20);
/// How long output is read after the end of the process, if another one still has the pipe.
const GRACE: Duration = Duration::from_millis(100);

pub(crate) struct Ended {
    /// `None` if it did not end by itself.
    pub(crate) status: Option<ExitStatus>,
    pub(crate) stdout: Kept,
    pub(crate) stderr: Kept,
    /// The limit that it has reached.
    pub(crate) limit: Option<ScriptLimit>,
}

/// A pipe and what was read from it.
struct Output<'a, P> {
    /// `None` at the end of the stream.
    pipe: Option<P>,
    /// Replaces the secrets of the run.
    mask: Mask<Vec<u8>>,
    kept: Kept,
    stream: OutputStream,
    lines: Lines,
    progress: Progress<'a>,
}

/// How the output of a process is kept and reported.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    /// The bytes that are kept of each stream.
    pub(crate) most_output: usize,
    /// The values that are replaced in it.
    pub(crate) secrets: &'a [SecretValue],
    pub(crate) progress: Progress<'a>,
}

/// When a process is ended.
pub(crate) struct Bounds<'a> {
    pub(crate) deadline: Instant,
    pub(crate) cancel: &'a Cancel,
    pub(crate) own_files: OwnFiles<'a>,
}

/// Reads the output of a process until it ends or is beyond its bounds. Ends every descendant of
/// it.
pub(crate) fn supervise(
    running: &mut Running,
    reading: Reading<'_>,
    bounds: Bounds<'_>,
) -> io::Result<Ended> {
    let (stdout, stderr) = (running.child.stdout.take(), running.child.stderr.take());
    let mut stdout = Output::new(stdout, OutputStream::Stdout, reading)?;
    let mut stderr = Output::new(stderr, OutputStream::Stderr, reading)?;
    let watched = watch(&running.child, &mut stdout, &mut stderr, bounds);
    let status = running.end()?;
    let (status, limit) = match watched? {
        Watched::Ended => (Some(status), limit_of(status, running.has_used_up_memory())),
        Watched::Beyond(limit) => (None, Some(limit)),
        Watched::Cancelled => (None, None),
    };
    drain(&mut stdout, &mut stderr)?;
    stdout.finish();
    stderr.finish();
    Ok(Ended { status, stdout: stdout.kept, stderr: stderr.kept, limit })
}

/// Returns the limit of the kernel that a process has reached.
fn limit_of(status: ExitStatus, has_used_up_memory: bool) -> Option<ScriptLimit> {
    match status.signal() {
        _ if has_used_up_memory => Some(ScriptLimit::Memory),
        Some(signal) if signal == Signal::XCPU.as_raw() => Some(ScriptLimit::ProcessorTime),
        Some(signal) if signal == Signal::XFSZ.as_raw() => Some(ScriptLimit::FileSize),
        _ => None,
    }
}

enum Watched {
    Ended,
    Beyond(ScriptLimit),
    Cancelled,
}

fn watch(
    child: &Child,
    stdout: &mut Output<'_, impl Read + AsFd>,
    stderr: &mut Output<'_, impl Read + AsFd>,
    bounds: Bounds<'_>,
) -> io::Result<Watched> {
    let Bounds { deadline, cancel, mut own_files } = bounds;
    let process = handle(child)?;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(Watched::Beyond(ScriptLimit::Time));
        }
        if cancel.is_cancelled() {
            return Ok(Watched::Cancelled);
        }
        if own_files.are_too_many() {
            return Ok(Watched::Beyond(ScriptLimit::Files));
        }
        let mut events = vec![PollFd::new(&process, PollFlags::IN)];
        events.extend(stdout.event());
        events.extend(stderr.event());
        wait(&mut events, left.min(CHECK))?;
        if !events[0].revents().is_empty() {
            return Ok(Watched::Ended);
        }
        drop(events);
        stdout.read()?;
        stderr.read()?;
    }
}

/// Returns a handle that is readable when the process ends.
#[cfg(target_os = "linux")]
fn handle(child: &Child) -> io::Result<OwnedFd> {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    Ok(pidfd_open(Pid::from_child(child), PidfdFlags::empty())?)
}

/// Other systems have no sandbox, so no script runs.
#[cfg(not(target_os = "linux"))]
fn handle(_: &Child) -> io::Result<OwnedFd> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Reads what is left in the pipes. A process that left the group may have one open and write on.
fn drain(
    stdout: &mut Output<'_, impl Read + AsFd>,
    stderr: &mut Output<'_, impl Read + AsFd>,
) -> io::Result<()> {
    let end = Instant::now() + GRACE;
    loop {
        let has_read = stdout.read()? | stderr.read()?;
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() || (stdout.pipe.is_none() && stderr.pipe.is_none()) {
            return Ok(());
        }
        if !has_read {
            let mut events: Vec<_> = stdout.event().into_iter().chain(stderr.event()).collect();
            wait(&mut events, left)?;
        }
    }
}

fn wait(events: &mut [PollFd<'_>], time: Duration) -> io::Result<()> {
    let time = Timespec::try_from(time).map_err(io::Error::other)?;
    match poll(events, Some(&time)) {
        Err(rustix::io::Errno::INTR) | Ok(_) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

impl<'a, P: Read + AsFd> Output<'a, P> {
    fn new(pipe: Option<P>, stream: OutputStream, reading: Reading<'a>) -> io::Result<Self> {
        let Reading { most_output, secrets, progress } = reading;
        if let Some(pipe) = &pipe {
            fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?;
        }
        let mask = Mask::new(Vec::new(), secrets.iter().map(SecretValue::expose));
        let kept = Kept::new(most_output);
        Ok(Self { pipe, mask, kept, stream, lines: Lines::default(), progress })
    }

    /// Reports the last line.
    fn finish(&mut self) {
        let mask = std::mem::replace(&mut self.mask, Mask::new(Vec::new(), std::iter::empty()));
        let (rest, _) = mask.finish();
        self.keep(&rest);
        let Self { stream, lines, progress, .. } = self;
        lines.finish(|line| progress.report(ProgressEvent::Output { stream: *stream, line }));
    }

    fn push(&mut self, bytes: &[u8]) {
        // Writing to memory does not fail.
        let _ = self.mask.write_all(bytes);
        let masked = std::mem::take(self.mask.inner());
        self.keep(&masked);
    }

    fn keep(&mut self, bytes: &[u8]) {
        let Self { kept, stream, lines, progress, .. } = self;
        kept.push(bytes);
        if progress.is_received() {
            let report = |line: &str| {
                progress.report(ProgressEvent::Output { stream: *stream, line });
            };
            lines.push(bytes, report);
        }
    }

    fn event(&self) -> Option<PollFd<'_>> {
        self.pipe.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN))
    }

    /// Reads once, without waiting. Returns whether there was something.
    fn read(&mut self) -> io::Result<bool> {
        let mut bytes = [0; 64 * 1024];
        let Some(pipe) = &mut self.pipe else { return Ok(false) };
        match pipe.read(&mut bytes) {
            Ok(0) => self.pipe = None,
            Ok(read) => {
                self.push(&bytes[..read]);
                return Ok(true);
            }
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) => {}
            Err(error) => return Err(error),
        }
        Ok(false)
    }
}
