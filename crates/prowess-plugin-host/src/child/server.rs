//! The answers of a plugin's process.
//!
//! Each worker reads a request and answers it itself; meanwhile another one reads. So a call is
//! handed from the host to the plugin without a thread in between, and a call that hangs holds up
//! no other.

mod ask_host;

use std::collections::HashMap;
use std::io;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use prowess_core::{
    Cancel, ChangeListener, PackagePath, PreviousScan, ReadLimit, Resource, ResourcePath, ScanSink,
    SkillSource, SourceError, SourceErrorKind, Stamp, Watch,
};

use super::asking::OpenQuestions;
use super::batch::Batch;
use super::frame::{FrameReader, REQUEST_BYTES, write, write_within};
use super::locked;
use super::plugin::ChildPlugin;
use super::protocol::{Answer, Call, Changed, Reply, Request, Stamped, WireShown};
use crate::adapter::PluginTool;
use crate::conversation::{self, Answers, Shown};
use crate::generation::CallContext;

use ask_host::AskHost;

/// The plugin, the connection to the host, and the calls and watches of the moment.
pub(super) struct Server {
    plugin: ChildPlugin,
    /// For reading; [`Self::out`] is the same socket.
    socket: UnixStream,
    requests: Mutex<FrameReader>,
    /// The workers that read or wait to read.
    idle: AtomicUsize,
    /// One frame is written after the other.
    out: Mutex<UnixStream>,
    /// The longest document that the host takes.
    most: usize,
    changes: Arc<Mutex<UnixStream>>,
    calls: Mutex<HashMap<u64, Cancel>>,
    questions: OpenQuestions,
    watches: Mutex<HashMap<u64, Watch>>,
}

/// The connections to the host.
pub(super) struct Sockets {
    pub(super) calls: UnixStream,
    pub(super) changes: UnixStream,
    pub(super) answers: UnixStream,
}

/// An answer and the bytes next to it.
type Answered = Result<(Answer, Vec<u8>), SourceError>;

impl Server {
    pub(super) fn new(plugin: ChildPlugin, sockets: Sockets, most: usize) -> io::Result<Arc<Self>> {
        let Sockets { calls: socket, changes, answers } = sockets;
        Ok(Arc::new(Self {
            plugin,
            out: Mutex::new(socket.try_clone()?),
            most,
            socket,
            requests: Mutex::new(FrameReader::new(REQUEST_BYTES, REQUEST_BYTES)),
            idle: AtomicUsize::new(0),
            changes: Arc::new(Mutex::new(changes)),
            calls: Mutex::default(),
            questions: OpenQuestions::new(answers)?,
            watches: Mutex::default(),
        }))
    }

    /// Answers requests until the host ends.
    pub(super) fn run(self: Arc<Self>) -> io::Result<()> {
        while let Some((id, call, cancel)) = self.next_call()? {
            self.answer(id, call, &cancel);
        }
        Ok(())
    }

    /// Waits for a call, and starts another reader if none is left while it is answered.
    fn next_call(self: &Arc<Self>) -> io::Result<Option<(u64, Call, Cancel)>> {
        self.idle.fetch_add(1, Ordering::SeqCst);
        let mut requests = locked(&self.requests);
        loop {
            match requests.next(&mut &self.socket)? {
                None => return Ok(None),
                Some((Request::Cancel { id }, _)) => self.cancel(id),
                Some((Request::Call { id, call }, _)) => {
                    let cancel = Cancel::default();
                    locked(&self.calls).insert(id, cancel.clone());
                    if self.idle.fetch_sub(1, Ordering::SeqCst) == 1 {
                        self.start_worker();
                    }
                    return Ok(Some((id, call, cancel)));
                }
            }
        }
    }

    fn cancel(&self, id: u64) {
        if let Some(cancel) = locked(&self.calls).get(&id) {
            cancel.cancel();
        }
    }

    /// Starts another worker. Without one, requests wait until this call has ended.
    fn start_worker(self: &Arc<Self>) {
        let server = Arc::clone(self);
        let work = move || {
            // Whichever worker notices the end of the host ends the process; others may hang in a
            // call.
            let ended = server.run();
            std::process::exit(i32::from(ended.is_err()));
        };
        let _ = std::thread::Builder::new().name("plugin worker".into()).spawn(work);
    }

    /// Returns whether a call has not ended.
    fn is_running(&self, id: u64) -> bool {
        locked(&self.calls).contains_key(&id)
    }

    fn answer(self: &Arc<Self>, id: u64, call: Call, cancel: &Cancel) {
        // A plugin from a library catches its own panics; one that is linked may not.
        let run = AssertUnwindSafe(|| self.run_call(id, call, cancel));
        let panicked =
            |_| Err(SourceError::new(SourceErrorKind::Unavailable, "the plugin panicked"));
        let (answer, bytes) = match catch_unwind(run).unwrap_or_else(panicked) {
            Ok((answer, bytes)) => (Ok(answer), bytes),
            Err(error) => (Err(error.into()), Vec::new()),
        };
        locked(&self.calls).remove(&id);
        let sent = self.send(&Reply::Done { id, answer }, &bytes).or_else(|error| {
            let answer = Err(too_large(error)?.into());
            self.send(&Reply::Done { id, answer }, &[])
        });
        if sent.is_err() {
            // The host has ended; if it has not, it learns that from the crash.
            std::process::abort();
        }
    }

    fn send(&self, reply: &Reply, bytes: &[u8]) -> io::Result<()> {
        write_within(&mut *locked(&self.out), reply, bytes, self.most)
    }

    fn run_call(self: &Arc<Self>, id: u64, call: Call, cancel: &Cancel) -> Answered {
        match call {
            Call::Scan { source, packages, known } => {
                let mut batch = Batch::new(id, |reply, bytes| self.send(reply, bytes));
                let source = self.source(source)?;
                let is_everything = scan(&**source, packages, known, &mut batch, cancel)?;
                batch.send();
                Ok((Answer::Scanned { is_everything }, vec![]))
            }
            Call::List { source, package: path, most } => {
                let listing = self.source(source)?.list(&package(&path)?, most)?;
                let resources = listing.resources.iter().map(path_and_bytes).collect();
                Ok((Answer::Listed { resources, is_complete: listing.is_complete }, vec![]))
            }
            Call::Read { source, package: path, resource, limit } => {
                let resource = ResourcePath::new(&resource).map_err(|error| invalid(&error))?;
                let source = self.source(source)?;
                Ok((Answer::Read, source.read(&package(&path)?, &resource, ReadLimit(limit))?))
            }
            Call::Watch { source, watch } => {
                let kept = self.source(source)?.watch(self.listener(watch))?;
                let is_watching = kept.is_some();
                locked(&self.watches).extend(kept.map(|kept| (watch, kept)));
                Ok((Answer::Watching(is_watching), vec![]))
            }
            Call::Unwatch { watch } => {
                let kept = locked(&self.watches).remove(&watch);
                drop(kept);
                Ok((Answer::Unwatched, vec![]))
            }
            Call::Tool { tool, arguments, session, caller, shown } => {
                let answers = self.answers(id);
                let call = CallContext {
                    cancel: Some(cancel),
                    session: &session,
                    caller,
                    shown: shown.as_ref().map(|shown| shown_by(shown, &answers)),
                    ..CallContext::new("call")
                };
                let tool = self.tool(tool)?;
                let result = tool.call_in(&call, &arguments).into();
                let named = call.shown.map(|_| tool.skills_named(&arguments));
                Ok((Answer::ToolResult { result, named }, vec![]))
            }
            Call::Describe { tool: at, catalog } => {
                let answers = self.answers(id);
                let shown = WireShown { catalog, boundary: String::new(), state: None };
                let tool = self.tool(at)?;
                let described = tool.described_in(shown_by(&shown, &answers));
                Ok((Answer::Described(Box::new(tool.own(&described).into())), vec![]))
            }
            Call::NamedSkills { tool, arguments } => {
                let named = self.tool(tool)?.skills_named(&arguments);
                Ok((Answer::NamedSkills(named), vec![]))
            }
        }
    }

    fn tool(&self, index: usize) -> Result<&PluginTool, SourceError> {
        self.plugin.tools.get(index).map(AsRef::as_ref).ok_or_else(|| unknown("tool"))
    }

    fn answers(self: &Arc<Self>, call: u64) -> SharedAnswers {
        Arc::new(AskHost { server: Arc::clone(self), call })
    }

    fn source(&self, index: usize) -> Result<&Arc<dyn SkillSource>, SourceError> {
        self.plugin.sources.get(index).ok_or_else(|| unknown("source"))
    }

    fn listener(&self, watch: u64) -> ChangeListener {
        let changes = Arc::clone(&self.changes);
        Arc::new(move |change| {
            // The end of the host ends this process as well.
            let changed = Changed { watch, change: change.into() };
            let _ = write(&mut *locked(&changes), &changed, &[]);
        })
    }
}

/// Answers the questions of a call.
type SharedAnswers = Arc<dyn conversation::Answer + Send + Sync>;

fn shown_by<'a>(shown: &'a WireShown, answers: &'a SharedAnswers) -> Shown<'a> {
    let WireShown { catalog, boundary, state } = shown;
    Shown { catalog: *catalog, boundary, state: *state, answers: Answers::AnyThread(answers) }
}

/// Scans a source, and returns whether it covered everything.
fn scan(
    source: &dyn SkillSource,
    packages: Option<Vec<String>>,
    known: Vec<(String, Stamped)>,
    batch: &mut dyn ScanSink,
    cancel: &Cancel,
) -> Result<bool, SourceError> {
    let stamped = |(package, bits)| (package, Stamp::from_bits(bits));
    let mut known: Vec<_> = known.into_iter().map(stamped).collect();
    known.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    let previous = PreviousScan::new(&known);
    let Some(packages) = packages else {
        return source.scan(&previous, batch, cancel).map(|_| true);
    };
    let packages: Result<Vec<_>, _> = packages.iter().map(|path| package(path)).collect();
    Ok(source.scan_packages(&packages?, &previous, batch, cancel)?.is_everything())
}

fn path_and_bytes(resource: &Resource) -> (String, u64) {
    (resource.path.as_str().to_owned(), resource.bytes)
}

fn package(path: &str) -> Result<PackagePath, SourceError> {
    PackagePath::new(path).map_err(|error| invalid(&error))
}

/// Returns the error of an answer that is too large for the host; any other error comes back.
fn too_large(error: io::Error) -> io::Result<SourceError> {
    if error.kind() != io::ErrorKind::FileTooLarge {
        return Err(error);
    }
    let message = format!("[plugin-protocol-broken] the plugin answers with {error}");
    Ok(SourceError::new(SourceErrorKind::TooLarge, message))
}

fn invalid(error: &dyn std::error::Error) -> SourceError {
    SourceError::new(SourceErrorKind::Escape, error.to_string())
}

fn unknown(what: &str) -> SourceError {
    SourceError::new(SourceErrorKind::NotFound, format!("the plugin has no such {what}"))
}
