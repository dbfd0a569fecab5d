//! The plugin's own process: it puts itself into bounds, opens the library and answers.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use prowess_core::{
    Cancel, ChangeListener, Coverage, PackagePath, ReadLimit, ResourcePath, SkillSource,
    SourceError, SourceErrorKind, Tool, Watch,
};
use rustix::process::{Resource, Rlimit, Signal, setrlimit};
use serde_json::Value;

use super::alone::call_alone;
use super::batch::Batch;
use super::protocol::{
    Answer, Call, Hello, Offer, OfferedSource, OfferedTool, PROTOCOL, REQUEST_BYTES, Reply,
    Request, read, write,
};
use super::{handover, locked};
use crate::{PluginError, PluginLimits};

/// What a process is asked to open.
#[derive(Debug)]
pub struct ChildRequest {
    /// The verified bytes.
    pub library: OwnedFd,
    /// The plugin's file as the operator knows it, for messages.
    pub file: std::path::PathBuf,
    /// The plugin's configuration.
    pub config: Option<Value>,
    /// How long and how much; the host sees to these as well.
    pub limits: PluginLimits,
}

/// What an opened plugin offers.
#[derive(Clone, Default)]
pub struct ChildPlugin {
    /// Its sources.
    pub sources: Vec<Arc<dyn SkillSource>>,
    /// Its tools.
    pub tools: Vec<Arc<dyn Tool>>,
}

/// Serves one plugin over standard input, which the host has made a socket, until the host goes. `open`
/// opens the library, when this process is in its bounds already.
///
/// By then, standard output leads to standard error: a plugin that prints disturbs nobody.
pub fn serve_child(
    open: impl FnOnce(ChildRequest) -> Result<ChildPlugin, PluginError>,
) -> ExitCode {
    match serve(open) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "prowess plugin process: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(open: impl FnOnce(ChildRequest) -> Result<ChildPlugin, PluginError>) -> io::Result<()> {
    let mut socket = take_socket()?;
    let library = handover::receive(&socket)?;
    let Some((hello, _)) = read::<Hello>(&mut socket, REQUEST_BYTES, 0)? else {
        return Ok(());
    };
    let out = Arc::new(Mutex::new(socket.try_clone()?));
    if hello.protocol != PROTOCOL {
        let reason = format!("speaks the protocol {PROTOCOL}, and the host {}", hello.protocol);
        return refuse(&out, "plugin-protocol-broken", reason, "install both from one release");
    }
    bounds(&hello.limits)?;
    let request = ChildRequest {
        library,
        file: hello.file.into(),
        config: hello.config,
        limits: hello.limits,
    };
    let plugin = match open(request) {
        Ok(plugin) => plugin,
        Err(error) => return refuse(&out, error.kind.as_str(), error.reason, &error.help),
    };
    send(&out, &Reply::Ready(offer(&plugin)), &[])?;
    let server = Arc::new(Server::new(plugin, out));
    // Nothing stands beside a request.
    while let Some((request, _)) = read::<Request>(&mut socket, REQUEST_BYTES, 0)? {
        server.take(request);
    }
    Ok(())
}

/// Standard input as the host's socket, moved where a plugin does not look for it.
pub(crate) fn take_socket() -> io::Result<UnixStream> {
    let stdin = io::stdin().as_fd().try_clone_to_owned()?;
    let socket = UnixStream::from(stdin);
    socket.peer_addr().map_err(|_| io::Error::other("this program is started by a host alone"))?;
    let nothing = OpenOptions::new().read(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(io::stderr().as_fd())?;
    Ok(socket)
}

/// What a plugin that runs wild can take: this process and no more.
pub(crate) fn bounds(limits: &PluginLimits) -> io::Result<()> {
    rustix::thread::set_no_new_privs(true)?;
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    limit(Resource::Core, 0)?;
    limit(Resource::As, limits.address_space)?;
    limit(Resource::Nofile, limits.open_files)
}

fn limit(resource: Resource, most: u64) -> io::Result<()> {
    Ok(setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?)
}

fn offer(plugin: &ChildPlugin) -> Offer {
    let source = |source: &Arc<dyn SkillSource>| OfferedSource {
        name: source.name().into(),
        root: source.root().into(),
    };
    let nothing = prowess_core::Catalog::empty();
    let tool = |tool: &Arc<dyn Tool>| {
        let definition = tool.definition(&nothing);
        OfferedTool {
            name: definition.name,
            description: definition.description,
            input_schema: definition.input_schema,
            accepts: tool.accepts(&nothing),
            is_offered: tool.is_offered(&nothing),
        }
    };
    Offer {
        protocol: PROTOCOL,
        sources: plugin.sources.iter().map(source).collect(),
        tools: plugin.tools.iter().map(tool).collect(),
    }
}

type Out = Arc<Mutex<UnixStream>>;

fn send(out: &Out, reply: &Reply, bytes: &[u8]) -> io::Result<()> {
    write(&mut *locked(out), reply, bytes)
}

fn refuse(out: &Out, code: &str, reason: String, help: &str) -> io::Result<()> {
    send(out, &Reply::Refused { code: code.into(), reason, help: help.into() }, &[])
}

/// The calls that are under way, and the watches that are kept up.
struct Server {
    plugin: ChildPlugin,
    out: Out,
    calls: Mutex<HashMap<u64, Cancel>>,
    watches: Mutex<HashMap<u64, Watch>>,
}

impl Server {
    fn new(plugin: ChildPlugin, out: Out) -> Self {
        Self { plugin, out, calls: Mutex::default(), watches: Mutex::default() }
    }

    /// Begins what is asked, on a thread of its own: a call that hangs holds up no other.
    fn take(self: &Arc<Self>, request: Request) {
        match request {
            Request::Cancel { id } => {
                if let Some(cancel) = locked(&self.calls).get(&id) {
                    cancel.cancel();
                }
            }
            Request::Call { id, call } => {
                let cancel = Cancel::default();
                locked(&self.calls).insert(id, cancel.clone());
                let server = Arc::clone(self);
                std::thread::spawn(move || server.answer(id, call, &cancel));
            }
        }
    }

    fn answer(self: &Arc<Self>, id: u64, call: Call, cancel: &Cancel) {
        // A plugin from a library catches its own panics; one that is linked may not.
        let run = AssertUnwindSafe(|| self.run(id, call, cancel));
        let panicked =
            |_| Err(SourceError::new(SourceErrorKind::Unavailable, "the plugin panicked"));
        let (answer, bytes) = match catch_unwind(run).unwrap_or_else(panicked) {
            Ok((answer, bytes)) => (Ok(answer), bytes),
            Err(error) => (Err(error.into()), Vec::new()),
        };
        locked(&self.calls).remove(&id);
        if send(&self.out, &Reply::Done { id, answer }, &bytes).is_err() {
            // The host has gone, or the answer is too large to be sent: nobody can be told.
            std::process::abort();
        }
    }

    fn run(
        self: &Arc<Self>,
        id: u64,
        call: Call,
        cancel: &Cancel,
    ) -> Result<(Answer, Vec<u8>), SourceError> {
        let answer = match call {
            Call::Scan { source, packages, known } => {
                let mut batch = Batch::new(id, known, |reply, bytes| send(&self.out, reply, bytes));
                let source = self.source(source)?;
                let is_everything = match packages {
                    None => source.scan(&mut batch, cancel).map(|()| true)?,
                    Some(packages) => {
                        let packages: Result<Vec<_>, _> =
                            packages.iter().map(|path| package(path)).collect();
                        let coverage = source.scan_packages(&packages?, &mut batch, cancel)?;
                        coverage == Coverage::Everything
                    }
                };
                batch.send();
                Answer::Scanned { is_everything }
            }
            Call::List { source, package: path, most } => {
                let listing = self.source(source)?.list(&package(&path)?, most)?;
                let resource = |resource: prowess_core::Resource| {
                    (resource.path.as_str().to_owned(), resource.bytes)
                };
                let resources = listing.resources.into_iter().map(resource).collect();
                Answer::Listed { resources, is_complete: listing.is_complete }
            }
            Call::Read { source, package: path, resource, limit } => {
                let resource = ResourcePath::new(&resource).map_err(|error| invalid(&error))?;
                let source = self.source(source)?;
                let bytes = source.read(&package(&path)?, &resource, ReadLimit(limit))?;
                return Ok((Answer::Read, bytes));
            }
            Call::Watch { source, watch } => {
                let kept = self.source(source)?.watch(self.listener(watch))?;
                let is_watching = kept.is_some();
                locked(&self.watches).extend(kept.map(|kept| (watch, kept)));
                Answer::Watching(is_watching)
            }
            Call::Unwatch { watch } => {
                let kept = locked(&self.watches).remove(&watch);
                drop(kept);
                Answer::Unwatched
            }
            Call::Tool { tool, arguments, session, caller } => {
                let tool = self.plugin.tools.get(tool).ok_or_else(|| unknown("tool"))?;
                Answer::Told(call_alone(&**tool, &arguments, session, caller, cancel).into())
            }
        };
        Ok((answer, Vec::new()))
    }

    fn source(&self, at: usize) -> Result<&Arc<dyn SkillSource>, SourceError> {
        self.plugin.sources.get(at).ok_or_else(|| unknown("source"))
    }

    fn listener(self: &Arc<Self>, watch: u64) -> ChangeListener {
        let out = Arc::clone(&self.out);
        Arc::new(move |change| {
            // A host that has gone ends this process by itself.
            let _ = send(&out, &Reply::Changed { watch, change: change.into() }, &[]);
        })
    }
}

fn package(path: &str) -> Result<PackagePath, SourceError> {
    PackagePath::new(path).map_err(|error| invalid(&error))
}

fn invalid(error: &dyn std::error::Error) -> SourceError {
    SourceError::new(SourceErrorKind::Escape, error.to_string())
}

fn unknown(what: &str) -> SourceError {
    SourceError::new(SourceErrorKind::NotFound, format!("the plugin has no such {what}"))
}
