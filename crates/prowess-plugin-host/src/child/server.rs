//! What a plugin's process does for its host: each call on a thread of its own.

use std::collections::HashMap;
use std::io;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use prowess_core::{
    Cancel, ChangeListener, Coverage, PackagePath, ReadLimit, ResourcePath, SkillSource,
    SourceError, SourceErrorKind, Watch,
};

use super::alone::call_alone;
use super::batch::Batch;
use super::frame::write;
use super::locked;
use super::protocol::{Answer, Call, Reply, Request};
use super::serve::ChildPlugin;

/// The way to the host, for one frame at a time.
pub(super) type Out = Arc<Mutex<UnixStream>>;

pub(super) fn send(out: &Out, reply: &Reply, bytes: &[u8]) -> io::Result<()> {
    write(&mut *locked(out), reply, bytes)
}

/// The calls that are under way, and the watches that are kept up.
pub(super) struct Server {
    plugin: ChildPlugin,
    out: Out,
    calls: Mutex<HashMap<u64, Cancel>>,
    watches: Mutex<HashMap<u64, Watch>>,
}

impl Server {
    pub(super) fn new(plugin: ChildPlugin, out: Out) -> Self {
        Self { plugin, out, calls: Mutex::default(), watches: Mutex::default() }
    }

    /// Begins what is asked, on a thread of its own: a call that hangs holds up no other.
    pub(super) fn take(self: &Arc<Self>, request: Request) {
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
