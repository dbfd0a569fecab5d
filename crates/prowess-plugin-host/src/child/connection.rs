//! The host's connection to a running plugin process.
//!
//! It uses three sockets. The first carries calls and answers: one of the waiting callers reads for
//! all callers, so that an answer wakes one thread. The second carries changes that watches
//! report: the thread that started the process reads it, and so detects the end of the process. The
//! third carries the host's answers to the questions of tools.

use std::io;
use std::io::ErrorKind::{ConnectionReset, TimedOut, UnexpectedEof, WouldBlock};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use prowess_core::{Clock, SourceError};
use prowess_plugin_abi::AbiError;

use super::Launch;
use super::frame::{FrameReader, answer_document_bytes, write};
use super::inbox::{CHECK_INTERVAL, Inbox, Slot, SpinReader};
use super::listeners::Listeners;
use super::process::{self, Process, describe_exit};
use super::protocol::{Answer, Call, HostAnswer, Offer, Reply, Request};
use crate::guard::lock;
use crate::{PluginError, PluginErrorKind};

/// How long the end of a process is awaited.
const OUTPUT_WAIT: Duration = Duration::from_secs(2);

/// A message about a call.
pub(super) enum Event {
    /// A part of a scan.
    Part(Box<Reply>, Vec<u8>),
    /// The number of a question about the conversation, and its text.
    Ask(u64, String),
    /// The answer and its bytes.
    Done(Result<Answer, SourceError>, Vec<u8>),
}

/// The connection to one process.
pub(super) struct Connection {
    launch: Arc<Launch>,
    /// Set once the process is confined and running.
    sockets: OnceLock<Sockets>,
    /// Held while a frame is written.
    writing: Mutex<()>,
    next: AtomicU64,
    calls: Inbox<Event>,
    pub(super) listeners: Listeners,
    /// Whether another process has replaced this one, so that it ends after its last call.
    is_retired: AtomicBool,
    /// The reason why the process has ended.
    end: OnceLock<PluginError>,
    /// Disconnected once the process is gone and its output was read.
    is_running: Mutex<Receiver<()>>,
}

struct Sockets {
    calls: UnixStream,
    changes: UnixStream,
    answers: Mutex<UnixStream>,
}

pub(super) struct SentCall {
    pub(super) id: u64,
    call: Arc<Slot<Event>>,
}

pub(super) enum WaitResult {
    Event(Event),
    /// No message yet: the caller checks whether it still waits.
    TimedOut,
    /// The process has ended.
    Ended,
}

/// Records the end of a connection when it is dropped.
struct CloseOnDrop<'a>(&'a Connection);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.fail(PluginErrorKind::Crashed, "has ended".into());
    }
}

type Ready = Sender<Result<Offer, PluginError>>;

impl Connection {
    /// Starts a process and waits for the plugin's offer.
    pub(super) fn open(
        launch: &Arc<Launch>,
        clock: &Arc<dyn Clock>,
    ) -> Result<(Arc<Self>, Offer), PluginError> {
        let deadline = Duration::from_millis(launch.limits.init_ms);
        let (running, is_running) = mpsc::channel();
        let connection = Arc::new(Self::new(launch, is_running));
        let (sender, receiver) = mpsc::channel();
        let own = Arc::clone(&connection);
        let clock = Arc::clone(clock);
        // The kernel kills the child when its parent ends, and takes the thread that started it for
        // the parent. So this thread runs as long as the child.
        let spawned = std::thread::Builder::new().name("plugin process".into()).spawn(move || {
            let _running: Sender<()> = running;
            // Also if a listener panics: callers wait for the reason.
            let _closing = CloseOnDrop(&own);
            own.run(clock, &sender);
        });
        spawned.map_err(|error| launch.not_started(&error))?;
        match receiver.recv_timeout(deadline) {
            Ok(Ok(offer)) => Ok((connection, offer)),
            Ok(Err(error)) => Err(error),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let reason = format!("did not start within {} ms", deadline.as_millis());
                Err(connection.close(launch.failed(PluginErrorKind::Init, reason)))
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => Err(connection.end_reason()),
        }
    }

    fn new(launch: &Arc<Launch>, is_running: Receiver<()>) -> Self {
        let most = launch.limits.answer_bytes;
        Self {
            launch: Arc::clone(launch),
            sockets: OnceLock::new(),
            writing: Mutex::default(),
            next: AtomicU64::new(1),
            calls: Inbox::new(FrameReader::new(answer_document_bytes(most), most)),
            listeners: Listeners::default(),
            is_retired: AtomicBool::default(),
            end: OnceLock::new(),
            is_running: Mutex::new(is_running),
        }
    }

    /// Returns the reason why the process has ended, if it has.
    pub(super) fn end(&self) -> Option<&PluginError> {
        self.end.get()
    }

    /// Ends the process for this reason. If it has already ended for another one, returns that.
    pub(super) fn close(&self, reason: PluginError) -> PluginError {
        let reason = self.end.get_or_init(|| reason).clone();
        self.hang_up();
        self.calls.wake_all();
        reason
    }

    /// As [`Self::close`], for a fault of the plugin.
    pub(super) fn fail(&self, kind: PluginErrorKind, reason: String) -> PluginError {
        self.close(self.launch.failed(kind, reason))
    }

    /// Shuts the sockets down, after which the thread of the process ends the process.
    fn hang_up(&self) {
        if let Some(Sockets { calls, changes, .. }) = self.sockets.get() {
            let _ = calls.shutdown(Shutdown::Both);
            let _ = changes.shutdown(Shutdown::Both);
        }
    }

    /// Marks the process as replaced: it ends after its running calls.
    pub(super) fn retire(&self) {
        self.is_retired.store(true, Ordering::SeqCst);
        self.end_if_retired();
    }

    /// Returns whether another process has replaced this one.
    pub(super) fn is_retired(&self) -> bool {
        self.is_retired.load(Ordering::SeqCst)
    }

    fn end_if_retired(&self) {
        if self.is_retired() && self.calls.is_empty() {
            self.close(self.launch.failed(PluginErrorKind::Crashed, "was replaced".into()));
        }
    }

    /// Sends a call. If that fails, returns the call with the error.
    pub(super) fn send_call(&self, call: Call) -> Result<SentCall, (PluginError, Box<Call>)> {
        let id = self.next_number();
        let pending = self.calls.open(id);
        let request = Request::Call { id, call };
        let error = match self.send(&request) {
            Ok(()) => return Ok(SentCall { id, call: pending }),
            Err(error) => error,
        };
        self.calls.remove(id);
        match request {
            Request::Call { call, .. } => Err((error, Box::new(call))),
            Request::Cancel { .. } => unreachable!("the request was created as a call"),
        }
    }

    /// Requests the cancellation of a call.
    pub(super) fn cancel(&self, id: u64) {
        // If the process has ended, so have its calls.
        let _ = self.send(&Request::Cancel { id });
    }

    /// Answers a question of the plugin.
    pub(super) fn answer(&self, question: u64, answer: Result<Vec<u8>, AbiError>) {
        let (refusal, bytes) = match answer {
            Ok(bytes) => (None, bytes),
            Err(error) => (Some(error.into()), Vec::new()),
        };
        if let Some(sockets) = self.sockets.get() {
            // As for `cancel`.
            let answer = HostAnswer { question, refusal };
            let _ = write(&mut *lock(&sockets.answers), &answer, &bytes);
        }
    }

    /// Removes a call: later messages about it are dropped.
    pub(super) fn remove_call(&self, id: u64) {
        self.calls.remove(id);
        self.end_if_retired();
    }

    /// Returns a number that is unique in this process.
    pub(super) fn next_number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Ends the connection and waits for the reason of the end.
    pub(super) fn end_reason(&self) -> PluginError {
        self.hang_up();
        self.end.wait().clone()
    }

    /// Waits until a closed process is gone and what it has printed was shown: the program may end
    /// next. A process that it has started may keep its output open, and is not waited for.
    pub(super) fn wait_for_output(&self) {
        let _ = lock(&self.is_running).recv_timeout(OUTPUT_WAIT);
    }

    fn send(&self, request: &Request) -> Result<(), PluginError> {
        let Some(sockets) = self.sockets.get() else { return Err(self.end_reason()) };
        let one = lock(&self.writing);
        let sent = write(&mut &sockets.calls, request, &[]);
        drop(one);
        sent.map_err(|error| match error.kind() {
            WouldBlock | TimedOut => {
                self.fail(PluginErrorKind::Crashed, format!("does not accept requests: {error}"))
            }
            _ => self.end_reason(),
        })
    }

    /// Waits for a message about a call. One of the waiting callers reads for all.
    pub(super) fn wait(&self, sent: &SentCall) -> WaitResult {
        match self.calls.wait(&sent.call, |reader| self.read_one(reader)) {
            Ok(Some(event)) => WaitResult::Event(event),
            Ok(None) if self.end.get().is_some() => WaitResult::Ended,
            Ok(None) => WaitResult::TimedOut,
            Err(error) => {
                self.note_broken_stream(&error);
                WaitResult::Ended
            }
        }
    }

    /// Reads one message, with the number of its call.
    fn read_one(&self, reader: &mut FrameReader) -> io::Result<(u64, Event)> {
        let sockets = self.sockets.get().ok_or(UnexpectedEof)?;
        let read = reader.next::<Reply>(&mut SpinReader(&sockets.calls))?;
        let (reply, bytes) = read.ok_or(io::Error::from(UnexpectedEof))?;
        match reply {
            Reply::Done { id, answer } => Ok((id, Event::Done(answer, bytes))),
            Reply::Ask { id, question, text } => Ok((id, Event::Ask(question, text))),
            Reply::Part { id, .. } => Ok((id, Event::Part(Box::new(reply), bytes))),
            Reply::Ready(_) | Reply::Refused { .. } => Err(io::Error::other("a second offer")),
        }
    }

    /// A process may end in the middle of a message. Any other read error is a fault of the plugin.
    fn note_broken_stream(&self, error: &io::Error) {
        if matches!(error.kind(), ConnectionReset | UnexpectedEof) {
            self.end_reason();
        } else {
            let reason = format!("sent an invalid message: {error}");
            self.fail(PluginErrorKind::Protocol, reason);
        }
    }

    /// Starts the process, receives its offer and its changes, and waits for its end.
    fn run(&self, clock: Arc<dyn Clock>, ready: &Ready) {
        let process = match process::start(&self.launch, clock) {
            Ok(process) => process,
            Err(error) => {
                let _ = ready.send(Err(self.close(error)));
                return;
            }
        };
        tracing::debug!(file = %self.launch.file.display(), level = process.level, "plugin process started");
        let failed = self.serve(&process, ready).err();
        let status = process.reap(self.end.get().is_some());
        let reason = match failed {
            Some(error) if !matches!(error.kind(), ConnectionReset | UnexpectedEof) => {
                let reason = format!("sent an invalid message: {error}");
                self.launch.failed(PluginErrorKind::Protocol, reason)
            }
            _ => self.launch.failed(PluginErrorKind::Crashed, describe_exit(status)),
        };
        let reason = self.close(reason);
        tracing::info!(file = %self.launch.file.display(), %reason, "plugin process ended");
        self.listeners.report_lost(&reason);
        let _ = ready.send(Err(reason));
    }

    /// Receives the offer and then the changes, until the process ends.
    fn serve(&self, process: &Process, ready: &Ready) -> io::Result<()> {
        let sockets = Sockets {
            calls: process.socket.try_clone()?,
            changes: process.changes.try_clone()?,
            answers: Mutex::new(process.answers.try_clone()?),
        };
        let sockets = self.sockets.get_or_init(|| sockets);
        // A stopped process (SIGSTOP) does not read, and must not block the host.
        let deadline = Duration::from_millis(self.launch.limits.init_ms.max(1));
        sockets.calls.set_write_timeout(Some(deadline))?;
        process.answers.set_write_timeout(Some(deadline))?;
        if self.end.get().is_some() {
            return Ok(());
        }
        process.send_hello(&self.launch)?;
        if let Some(offer) = self.offer(&sockets.calls)? {
            sockets.calls.set_read_timeout(Some(CHECK_INTERVAL))?;
            let _ = ready.send(Ok(offer));
            self.listeners.receive(&sockets.changes)?;
        }
        Ok(())
    }

    /// Receives the plugin's offer; `None` if the plugin refused to start.
    fn offer(&self, calls: &UnixStream) -> io::Result<Option<Offer>> {
        calls.set_read_timeout(Some(Duration::from_millis(self.launch.limits.init_ms.max(1))))?;
        match self.calls.reader().next::<Reply>(&mut &*calls)? {
            Some((Reply::Ready(offer), _)) => Ok(Some(offer)),
            Some((Reply::Refused { code, reason, help }, _)) => {
                let kind = PluginErrorKind::from_code(&code).unwrap_or(PluginErrorKind::Init);
                let error = self.launch.failed(kind, reason);
                self.close(PluginError { help, ..error });
                Ok(None)
            }
            Some(_) => Err(io::Error::other("an answer before the offer")),
            None => Err(UnexpectedEof.into()),
        }
    }
}
