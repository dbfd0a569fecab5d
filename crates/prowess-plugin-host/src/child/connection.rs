//! One plugin process while it lives, as its host sees it.
//!
//! Three sockets lead to it. On the first, calls and their answers: whichever caller waits for an
//! answer reads it, for all callers, so that an answer wakes one thread. On the second, the changes
//! that watches report: the thread that started the process reads it, which is how the process's
//! end is noticed. On the third, the host's answers to the questions of tools, which the thread
//! that asked reads.

use std::io;
use std::io::ErrorKind::{ConnectionReset, TimedOut, UnexpectedEof, WouldBlock};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use prowess_core::Clock;
use prowess_plugin_abi::AbiError;

use super::eager::Eager;
use super::frame::{FrameReader, answer_document_bytes, write};
use super::inbox::{CHECK_INTERVAL, Inbox, Slot};
use super::listeners::Listeners;
use super::process::{self, Process, died};
use super::protocol::{Answer, Call, Failed, HostAnswer, Offer, Reply, Request};
use super::{Launch, locked};
use crate::{PluginError, PluginErrorKind};

/// A message about a call.
pub(super) enum Event {
    /// A part of a scan.
    Part(Box<Reply>, Vec<u8>),
    /// A question about the conversation, with its number.
    Ask(u64, String),
    /// The answer and its bytes.
    Done(Result<Answer, Failed>, Vec<u8>),
}

/// A process that answers, until it does not.
pub(super) struct Connection {
    launch: Arc<Launch>,
    /// Set once the process is confined and running.
    sockets: OnceLock<Sockets>,
    /// Frames are written whole, one after the other.
    writing: Mutex<()>,
    next: AtomicU64,
    calls: Inbox<Event>,
    pub(super) listeners: Listeners,
    /// Whether another one has replaced it, so that it ends with its last call.
    is_retired: AtomicBool,
    /// Why it no longer answers.
    end: OnceLock<PluginError>,
}

struct Sockets {
    calls: UnixStream,
    changes: UnixStream,
    answers: Mutex<UnixStream>,
}

/// A call that was sent.
pub(super) struct SentCall {
    pub(super) id: u64,
    call: Arc<Slot<Event>>,
}

/// The result of a wait.
pub(super) enum Waited {
    Event(Event),
    /// Nothing for a while: time to check whether the call is still wanted.
    Nothing,
    /// The process has ended.
    Ended,
}

/// Makes sure that the end of a connection becomes known.
struct Closing<'a>(&'a Connection);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.fail(PluginErrorKind::Crashed, "has ended".into());
    }
}

type Ready = Sender<Result<Offer, PluginError>>;

impl Connection {
    /// Starts a process and waits until the plugin offers something.
    pub(super) fn open(
        launch: &Arc<Launch>,
        clock: &Arc<dyn Clock>,
    ) -> Result<(Arc<Self>, Offer), PluginError> {
        let deadline = Duration::from_millis(launch.limits.init_ms);
        let connection = Arc::new(Self::new(launch));
        let (sender, receiver) = mpsc::channel();
        let keeper = Arc::clone(&connection);
        let clock = Arc::clone(clock);
        // A child is to die with its parent, and to the kernel the parent is the thread that
        // started it: so the thread that starts it is the one that stays with it.
        let spawned = std::thread::Builder::new().name("plugin process".into()).spawn(move || {
            // Also if a listener panics: callers wait until the reason is known.
            let _closing = Closing(&keeper);
            keeper.keep(clock, &sender);
        });
        spawned.map_err(|error| launch.not_started(&error))?;
        match receiver.recv_timeout(deadline) {
            Ok(Ok(offer)) => Ok((connection, offer)),
            Ok(Err(error)) => Err(error),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let reason = format!("did not begin within {} ms", deadline.as_millis());
                Err(connection.close(launch.failed(PluginErrorKind::Init, reason)))
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => Err(connection.ended()),
        }
    }

    fn new(launch: &Arc<Launch>) -> Self {
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
        }
    }

    /// Returns why it no longer answers, if it does not.
    pub(super) fn end(&self) -> Option<&PluginError> {
        self.end.get()
    }

    /// Ends it for this reason, unless it has ended for another one, which is then the result.
    pub(super) fn close(&self, reason: PluginError) -> PluginError {
        let reason = self.end.get_or_init(|| reason).clone();
        self.hang_up();
        self.calls.wake_all();
        reason
    }

    /// Ends it as [`Self::close`] does, for a fault of the plugin.
    pub(super) fn fail(&self, kind: PluginErrorKind, reason: String) -> PluginError {
        self.close(self.launch.failed(kind, reason))
    }

    /// Shuts the sockets: the thread that stays with the process notices, and ends the process.
    fn hang_up(&self) {
        if let Some(Sockets { calls, changes, .. }) = self.sockets.get() {
            let _ = calls.shutdown(Shutdown::Both);
            let _ = changes.shutdown(Shutdown::Both);
        }
    }

    /// Marks it as replaced: it ends when the calls that are under way have.
    pub(super) fn retire(&self) {
        self.is_retired.store(true, Ordering::SeqCst);
        self.end_if_retired();
    }

    /// Returns whether another one has replaced it.
    pub(super) fn is_retired(&self) -> bool {
        self.is_retired.load(Ordering::SeqCst)
    }

    fn end_if_retired(&self) {
        if self.is_retired() && self.calls.is_empty() {
            self.close(self.launch.failed(PluginErrorKind::Crashed, "was replaced".into()));
        }
    }

    /// Sends a call. If that is not possible, the call comes back with the reason.
    pub(super) fn send_call(&self, call: Call) -> Result<SentCall, (PluginError, Box<Call>)> {
        let id = self.number();
        let pending = self.calls.open(id);
        let request = Request::Call { id, call };
        let error = match self.send(&request) {
            Ok(()) => return Ok(SentCall { id, call: pending }),
            Err(error) => error,
        };
        self.calls.remove(id);
        match request {
            Request::Call { call, .. } => Err((error, Box::new(call))),
            Request::Cancel { .. } => unreachable!("it was made as a call"),
        }
    }

    /// Notifies the process that an answer is no longer wanted.
    pub(super) fn cancel(&self, id: u64) {
        // A process that takes no requests has ended, and its calls with it.
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
            let _ = write(&mut *locked(&sockets.answers), &answer, &bytes);
        }
    }

    /// Stops waiting for a call.
    pub(super) fn forget(&self, id: u64) {
        self.calls.remove(id);
        self.end_if_retired();
    }

    /// Returns a number that nothing else of this process has.
    pub(super) fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns why it ended; waits until that is known.
    pub(super) fn ended(&self) -> PluginError {
        self.hang_up();
        self.end.wait().clone()
    }

    fn send(&self, request: &Request) -> Result<(), PluginError> {
        let Some(sockets) = self.sockets.get() else { return Err(self.ended()) };
        let one = locked(&self.writing);
        let sent = write(&mut &sockets.calls, request, &[]);
        drop(one);
        sent.map_err(|error| match error.kind() {
            WouldBlock | TimedOut => {
                self.fail(PluginErrorKind::Crashed, format!("takes no requests: {error}"))
            }
            _ => self.ended(),
        })
    }

    /// Waits for a message about a call. One of the waiting callers reads for all.
    pub(super) fn wait(&self, sent: &SentCall) -> Waited {
        match self.calls.wait(&sent.call, |reader| self.read_one(reader)) {
            Ok(Some(event)) => Waited::Event(event),
            Ok(None) if self.end.get().is_some() => Waited::Ended,
            Ok(None) => Waited::Nothing,
            Err(error) => {
                self.note_broken_stream(&error);
                Waited::Ended
            }
        }
    }

    /// Reads one message, with the number of its call.
    fn read_one(&self, reader: &mut FrameReader) -> io::Result<(u64, Event)> {
        let sockets = self.sockets.get().ok_or(UnexpectedEof)?;
        let read = reader.next::<Reply>(&mut Eager(&sockets.calls))?;
        let (reply, bytes) = read.ok_or(io::Error::from(UnexpectedEof))?;
        match reply {
            Reply::Done { id, answer } => Ok((id, Event::Done(answer, bytes))),
            Reply::Ask { id, question, text } => Ok((id, Event::Ask(question, text))),
            Reply::Part { id, .. } => Ok((id, Event::Part(Box::new(reply), bytes))),
            Reply::Ready(_) | Reply::Refused { .. } => Err(io::Error::other("a second offer")),
        }
    }

    /// A process that dies may do so in the middle of a message; anything else is its fault.
    fn note_broken_stream(&self, error: &io::Error) {
        if matches!(error.kind(), ConnectionReset | UnexpectedEof) {
            self.ended();
        } else {
            let reason = format!("sent what no plugin sends: {error}");
            self.fail(PluginErrorKind::Protocol, reason);
        }
    }

    /// Starts the process, receives its offer and its changes, and waits for its end.
    fn keep(&self, clock: Arc<dyn Clock>, ready: &Ready) {
        let process = match process::start(&self.launch, clock) {
            Ok(process) => process,
            Err(error) => {
                let _ = ready.send(Err(self.close(error)));
                return;
            }
        };
        tracing::debug!(file = %self.launch.file.display(), level = process.level, "plugin process started");
        let failed = self.serve(&process, ready).err();
        let status = process.bury(self.end.get().is_some());
        let reason = match failed {
            Some(error) if !matches!(error.kind(), ConnectionReset | UnexpectedEof) => {
                let reason = format!("sent what no plugin sends: {error}");
                self.launch.failed(PluginErrorKind::Protocol, reason)
            }
            _ => self.launch.failed(PluginErrorKind::Crashed, died(status)),
        };
        let reason = self.close(reason);
        tracing::info!(file = %self.launch.file.display(), %reason, "plugin process ended");
        self.listeners.lose(&reason);
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
        // A process that was stopped takes nothing, and must not stop the host as well.
        let deadline = Duration::from_millis(self.launch.limits.init_ms.max(1));
        sockets.calls.set_write_timeout(Some(deadline))?;
        process.answers.set_write_timeout(Some(deadline))?;
        if self.end.get().is_some() {
            return Ok(());
        }
        process.greet(&self.launch)?;
        if let Some(offer) = self.offer(&sockets.calls)? {
            sockets.calls.set_read_timeout(Some(CHECK_INTERVAL))?;
            let _ = ready.send(Ok(offer));
            self.listeners.receive(&sockets.changes)?;
        }
        Ok(())
    }

    /// Receives the plugin's offer; `None` if it refused.
    fn offer(&self, calls: &UnixStream) -> io::Result<Option<Offer>> {
        calls.set_read_timeout(Some(Duration::from_millis(self.launch.limits.init_ms.max(1))))?;
        match self.calls.reader().next::<Reply>(&mut &*calls)? {
            Some((Reply::Ready(offer), _)) => Ok(Some(offer)),
            Some((Reply::Refused { code, reason, help }, _)) => {
                let kind = PluginErrorKind::of_code(&code).unwrap_or(PluginErrorKind::Init);
                let error = self.launch.failed(kind, reason);
                self.close(PluginError { help, ..error });
                Ok(None)
            }
            Some(_) => Err(io::Error::other("an answer before the offer")),
            None => Err(UnexpectedEof.into()),
        }
    }
}
