//! One plugin process while it lives, as its host sees it.

use std::collections::HashMap;
use std::io;
use std::io::ErrorKind::{ConnectionReset, UnexpectedEof};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use prowess_core::{ChangeListener, SourceChange, SourceError, SourceErrorKind};

use super::frame::{DOCUMENT_BYTES, read, write};
use super::process::{bury, died, start};
use super::protocol::{Answer, Call, Failed, Offer, Reply, Request};
use super::{Launch, locked};
use crate::{PluginError, PluginErrorKind};

/// What comes back of a call.
pub(super) enum Event {
    /// A part of a scan.
    Part(Box<Reply>, Vec<u8>),
    /// The end.
    Done(Result<Answer, Failed>, Vec<u8>),
}

/// A process that answers, until it does not.
pub(super) struct Connection {
    launch: Arc<Launch>,
    socket: UnixStream,
    /// Frames are written whole, one after the other.
    writing: Mutex<()>,
    next: AtomicU64,
    calls: Mutex<HashMap<u64, Sender<Event>>>,
    watches: Mutex<HashMap<u64, ChangeListener>>,
    /// Whether another one has taken its place, so that it ends with its last call.
    is_retired: AtomicBool,
    /// Why it no longer answers.
    end: OnceLock<PluginError>,
}

impl Connection {
    /// Starts a process and waits until the plugin has begun.
    pub(super) fn open(launch: &Arc<Launch>) -> Result<(Arc<Self>, Offer), PluginError> {
        let patience = Duration::from_millis(launch.limits.init_ms);
        let pair = UnixStream::pair().and_then(|(ours, theirs)| {
            // A process that was stopped takes nothing, and must not stop the host as well.
            ours.set_write_timeout(Some(patience))?;
            Ok((ours, theirs))
        });
        let (socket, theirs) = pair.map_err(|error| launch.not_started(&error))?;
        let connection = Arc::new(Self {
            launch: Arc::clone(launch),
            socket,
            writing: Mutex::default(),
            next: AtomicU64::new(1),
            calls: Mutex::default(),
            watches: Mutex::default(),
            is_retired: AtomicBool::default(),
            end: OnceLock::new(),
        });
        let (sender, receiver) = mpsc::channel();
        let keeper = Arc::clone(&connection);
        // A child is to die with its parent, and to the kernel the parent is the thread that started it:
        // so the thread that starts it is the one that stays with it.
        let spawned = std::thread::Builder::new()
            .name("plugin process".into())
            .spawn(move || keeper.keep(theirs, &sender));
        spawned.map_err(|error| launch.not_started(&error))?;
        match receiver.recv_timeout(patience) {
            Ok(Ok(offer)) => Ok((connection, offer)),
            Ok(Err(error)) => Err(error),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let reason = format!("did not begin within {} ms", patience.as_millis());
                Err(connection.close(launch.failed(PluginErrorKind::Init, reason)))
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => Err(connection.ended()),
        }
    }

    /// Why it no longer answers, if it does not.
    pub(super) fn end(&self) -> Option<&PluginError> {
        self.end.get()
    }

    /// Ends it for this reason, unless it has ended for another one, which is then the answer.
    pub(super) fn close(&self, reason: PluginError) -> PluginError {
        let reason = self.end.get_or_init(|| reason).clone();
        // The thread that stays with the process sees the end of the stream, and ends the process.
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
        reason
    }

    /// As [`Self::close`], for what the plugin did wrong.
    pub(super) fn fail(&self, kind: PluginErrorKind, reason: String) -> PluginError {
        self.close(self.launch.failed(kind, reason))
    }

    /// Another one takes its place: it ends when the calls that are under way have.
    pub(super) fn retire(&self) {
        self.is_retired.store(true, Ordering::SeqCst);
        self.end_if_retired();
    }

    /// Whether another one has taken its place.
    pub(super) fn is_retired(&self) -> bool {
        self.is_retired.load(Ordering::SeqCst)
    }

    fn end_if_retired(&self) {
        if self.is_retired() && locked(&self.calls).is_empty() {
            self.close(self.launch.failed(PluginErrorKind::Crashed, "was replaced".into()));
        }
    }

    /// Begins a call. If that is not possible, the call comes back with the reason.
    pub(super) fn begin(
        &self,
        call: Call,
    ) -> Result<(u64, Receiver<Event>), (PluginError, Box<Call>)> {
        let id = self.number();
        let (sender, receiver) = mpsc::channel();
        locked(&self.calls).insert(id, sender);
        let request = Request::Call { id, call };
        // The end may have come between; whoever finds the call then answers it.
        let error = match self.say(&request) {
            Ok(()) if self.end.get().is_none() => return Ok((id, receiver)),
            Ok(()) => self.forget(id),
            Err(error) => error,
        };
        match request {
            Request::Call { call, .. } => Err((error, Box::new(call))),
            Request::Cancel { .. } => unreachable!("it was made as a call"),
        }
    }

    /// Tells it that an answer is no longer wanted.
    pub(super) fn cancel(&self, id: u64) {
        // A process that cannot be told has ended, and its calls with it.
        let _ = self.say(&Request::Cancel { id });
    }

    /// No longer waits for a call.
    pub(super) fn forget(&self, id: u64) -> PluginError {
        locked(&self.calls).remove(&id);
        let error = self.ended();
        self.end_if_retired();
        error
    }

    /// Begins to hear of changes under a number of its own.
    pub(super) fn listen(&self, listener: ChangeListener) -> u64 {
        let watch = self.number();
        locked(&self.watches).insert(watch, listener);
        watch
    }

    /// Hears no more of it once this has returned.
    pub(super) fn stop_listening(&self, watch: u64) {
        locked(&self.watches).remove(&watch);
    }

    fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    fn ended(&self) -> PluginError {
        let unknown = || self.launch.failed(PluginErrorKind::Crashed, "has ended".into());
        self.end.get().cloned().unwrap_or_else(unknown)
    }

    fn say(&self, request: &Request) -> Result<(), PluginError> {
        let one = locked(&self.writing);
        let said = write(&mut &self.socket, request, &[]);
        drop(one);
        said.map_err(|error| {
            let reason = format!("takes no requests: {error}");
            self.close(self.launch.failed(PluginErrorKind::Crashed, reason))
        })
    }

    /// Starts the process, hears what it says, and buries it.
    fn keep(&self, theirs: UnixStream, ready: &Sender<Result<Offer, PluginError>>) {
        let mut child = match start(&self.launch, &self.socket, theirs) {
            Ok(child) => child,
            Err(error) => {
                let error = self.close(self.launch.not_started(&error));
                let _ = ready.send(Err(error));
                return;
            }
        };
        let broken = self.hear(ready).err();
        let status = bury(&mut child, self.end.get().is_some());
        let (kind, reason) = match broken {
            // A process that dies may do so in the middle of a sentence.
            Some(error) if !matches!(error.kind(), ConnectionReset | UnexpectedEof) => {
                (PluginErrorKind::Protocol, format!("said what no plugin says: {error}"))
            }
            _ => (PluginErrorKind::Crashed, died(status)),
        };
        self.close(self.launch.failed(kind, reason));
        locked(&self.calls).clear();
        let lost = SourceError::new(SourceErrorKind::Unavailable, self.ended().to_string());
        for listener in std::mem::take(&mut *locked(&self.watches)).into_values() {
            listener(SourceChange::Lost(lost.clone()));
        }
        let _ = ready.send(Err(self.ended()));
    }

    /// Hands on what the process says, until it says no more.
    fn hear(&self, ready: &Sender<Result<Offer, PluginError>>) -> io::Result<()> {
        let mut socket = io::BufReader::new(&self.socket);
        while let Some((reply, bytes)) =
            read(&mut socket, DOCUMENT_BYTES, self.launch.limits.answer_bytes)?
        {
            match reply {
                Reply::Ready(offer) => drop(ready.send(Ok(offer))),
                Reply::Refused { code, reason, help } => {
                    let kind = PluginErrorKind::of_code(&code).unwrap_or(PluginErrorKind::Init);
                    let error = self.launch.failed(kind, reason);
                    self.close(PluginError { help, ..error });
                }
                Reply::Done { id, answer } => {
                    let call = locked(&self.calls).remove(&id);
                    if let Some(call) = call {
                        // Nobody waits for an answer that came too late.
                        let _ = call.send(Event::Done(answer, bytes));
                        self.end_if_retired();
                    }
                }
                Reply::Part { id, .. } => {
                    if let Some(call) = locked(&self.calls).get(&id) {
                        let _ = call.send(Event::Part(Box::new(reply), bytes));
                    }
                }
                Reply::Changed { watch, change } => {
                    // Held while the listener is called: who stops listening hears no more.
                    if let Some(listener) = locked(&self.watches).get(&watch) {
                        listener(change.into());
                    }
                }
            }
        }
        Ok(())
    }
}
