//! The thread that reads what a server writes.

use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{ChildStderr, ChildStdout};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use prowess_text::clipped;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::changes::Changes;
use crate::message::{Incoming, MAX_MESSAGE_BYTES};

/// The number of bytes of one read.
const CHUNK: usize = 64 * 1024;

/// The number of bytes of the server's own messages that are kept for an error.
const MAX_ERROR_BYTES: usize = 4096;

/// The number of bytes that a pipe holds, by default (pipe(7)).
const PIPE_BYTES: usize = 64 * 1024;

/// The maximum number of notifications and of lines that are no messages, between two requests.
const MOST_UNASKED: usize = 10_000;

/// A thread that reads messages until this is dropped.
pub(crate) struct Reader {
    messages: Option<Receiver<Incoming>>,
    shared: Arc<Shared>,
    /// The thread ends when this is closed.
    wake: Option<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    unasked: AtomicUsize,
    end: Mutex<End>,
}

/// The reason why there are no more messages.
#[derive(Default)]
struct End {
    reason: Option<&'static str>,
    /// The last bytes of the server's own messages.
    errors: Vec<u8>,
}

impl Reader {
    pub(crate) fn start(
        stdout: ChildStdout,
        stderr: ChildStderr,
        changes: Arc<Changes>,
    ) -> io::Result<Self> {
        let (woken, wake) = pipe_with(PipeFlags::CLOEXEC)?;
        // A server that writes more than is read has to wait.
        let (sender, messages) = sync_channel(1);
        let shared = Arc::new(Shared::default());
        let lines = Lines { shared: Arc::clone(&shared), sender, changes, partial: Vec::new() };
        let thread = thread::Builder::new()
            .name("prowess-mcp".to_owned())
            .spawn(move || read(stdout, stderr, &woken, lines))?;
        Ok(Self { messages: Some(messages), shared, wake: Some(wake), thread: Some(thread) })
    }

    /// Returns the messages of the server. It is disconnected when there are no more.
    pub(crate) fn messages(&self) -> &Receiver<Incoming> {
        self.messages.as_ref().expect("it is taken by `drop` only")
    }

    /// Allows the server to send notifications again.
    pub(crate) fn begin_request(&self) {
        self.shared.unasked.store(0, Ordering::Relaxed);
    }

    /// Returns the reason why there are no more messages.
    pub(crate) fn end(&self) -> String {
        let end = self.shared.end.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reason) = end.reason {
            return reason.to_owned();
        }
        let errors = String::from_utf8_lossy(&end.errors);
        match errors.lines().rev().find(|line| !line.trim().is_empty()) {
            Some(line) => format!("the server has ended: {}", clipped(line.trim(), 200)),
            None => "the server has ended".to_owned(),
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // A thread that waits until a message is taken ends by the first, any other by the second.
        drop(self.messages.take());
        drop(self.wake.take());
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// Reads both streams until the server closes its output, or the thread is woken.
fn read(mut stdout: ChildStdout, stderr: ChildStderr, woken: &OwnedFd, mut lines: Lines) {
    let mut stderr = Some(stderr);
    loop {
        let mut streams =
            vec![PollFd::new(woken, PollFlags::IN), PollFd::new(&stdout, PollFlags::IN)];
        streams.extend(
            stderr.iter().map(|stderr| PollFd::from_borrowed_fd(stderr.as_fd(), PollFlags::IN)),
        );
        match poll(&mut streams, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
        let is_ready: Vec<_> = streams.iter().map(|stream| !stream.revents().is_empty()).collect();
        drop(streams);
        if is_ready[0] {
            return;
        }
        if is_ready.get(2) == Some(&true) && !lines.read_errors(stderr.as_mut()) {
            stderr = None;
        }
        if is_ready[1] && !lines.read_messages(&mut stdout) {
            return lines.read_last_errors(stderr.as_mut());
        }
    }
}

/// Splits the output of a server into messages.
struct Lines {
    shared: Arc<Shared>,
    sender: SyncSender<Incoming>,
    changes: Arc<Changes>,
    /// A line whose end is not yet read.
    partial: Vec<u8>,
}

impl Lines {
    /// Reads a part of the server's own messages. Returns whether there may be more.
    fn read_errors(&self, stderr: Option<&mut ChildStderr>) -> bool {
        let mut chunk = [0; MAX_ERROR_BYTES];
        let Some(Ok(count @ 1..)) = stderr.map(|stderr| stderr.read(&mut chunk)) else {
            return false;
        };
        let mut end = self.shared.end.lock().unwrap_or_else(PoisonError::into_inner);
        end.errors.extend(&chunk[..count]);
        let excess = end.errors.len().saturating_sub(MAX_ERROR_BYTES);
        end.errors.drain(..excess);
        true
    }

    /// Reads what a server wrote before it closed its output.
    fn read_last_errors(&self, mut stderr: Option<&mut ChildStderr>) {
        // A server that writes on after that is not followed.
        for _ in 0..PIPE_BYTES / MAX_ERROR_BYTES {
            let Some(stderr) = stderr.as_deref_mut() else { return };
            let mut streams = [PollFd::from_borrowed_fd(stderr.as_fd(), PollFlags::IN)];
            let now = Timespec::default();
            if !matches!(poll(&mut streams, Some(&now)), Ok(1)) || !self.read_errors(Some(stderr)) {
                return;
            }
        }
    }

    /// Reads a part of the messages. Returns whether there may be more.
    fn read_messages(&mut self, stdout: &mut ChildStdout) -> bool {
        let mut chunk = vec![0; CHUNK];
        let Ok(count @ 1..) = stdout.read(&mut chunk) else { return false };
        for part in chunk[..count].split_inclusive(|&byte| byte == b'\n') {
            if self.partial.len() + part.len() > MAX_MESSAGE_BYTES {
                return self.end("the server has sent a message of over 32 MiB");
            }
            self.partial.extend(part);
            if part.ends_with(b"\n") && !self.take_line() {
                return false;
            }
        }
        true
    }

    /// Handles a whole line. Returns whether to go on.
    fn take_line(&mut self) -> bool {
        let line = std::mem::take(&mut self.partial);
        match Incoming::read(&line) {
            Some(message) if message.is_change() => self.changes.report(),
            Some(Incoming::Notification(_)) | None => {}
            Some(message) => return self.sender.send(message).is_ok(),
        }
        if self.shared.unasked.fetch_add(1, Ordering::Relaxed) >= MOST_UNASKED {
            return self.end("the server writes without end, and answers nothing");
        }
        true
    }

    fn end(&self, reason: &'static str) -> bool {
        self.shared.end.lock().unwrap_or_else(PoisonError::into_inner).reason = Some(reason);
        false
    }
}
