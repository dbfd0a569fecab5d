//! The sources of a plugin's process, as those of the core.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use prowess_core::{
    Cancel, ChangeListener, Clock, Coverage, Found, Listing, PackagePath, ReadLimit, Resource,
    ResourcePath, ScanSink, SkillSource, SourceError, SourceErrorKind, Stamp, ToolProvider, Watch,
};

use super::broken::nonsense;
use super::protocol::{Answer, Call, OfferedSource, stamped};
use super::scan::{Scan, problem};
use super::supervisor::{Answered, Supervisor};
use super::tools::tools;
use super::{Launch, locked};
use crate::{PluginError, Staged};

/// What a plugin in a process of its own offers. The process ends when the last part of this is dropped.
pub struct ProcessPlugin {
    /// Its sources.
    pub sources: Vec<Arc<dyn SkillSource>>,
    /// Its tools.
    pub tools: Arc<dyn ToolProvider>,
    supervisor: Arc<Supervisor>,
}

impl ProcessPlugin {
    /// Puts another build of the plugin in the place of this one, in a process of its own. Calls that are
    /// under way end on the old one. Whoever watches hears that everything may have changed.
    ///
    /// # Errors
    ///
    /// The new one does not begin, or offers something else: the old one goes on.
    pub fn replace(&self, library: Staged) -> Result<(), PluginError> {
        self.supervisor.replace(library)
    }
}

/// Begins a plugin in a process of its own. `clock` measures deadlines and the time between failures.
///
/// # Errors
///
/// The process cannot be started, or the plugin does not begin.
pub fn start_process(launch: Launch, clock: Arc<dyn Clock>) -> Result<ProcessPlugin, PluginError> {
    let supervisor = Arc::new(Supervisor::start(launch, clock)?);
    let offer = supervisor.offer().clone();
    let source = |(at, offered): (usize, OfferedSource)| {
        let (name, root) = (offered.name, offered.root);
        let supervisor = Arc::clone(&supervisor);
        Arc::new(RemoteSource { supervisor, at, name, root, seen: Mutex::default() }) as Arc<_>
    };
    let sources = offer.sources.into_iter().enumerate().map(source).collect();
    let tools = tools(&supervisor, offer.tools);
    Ok(ProcessPlugin { sources, tools, supervisor })
}

struct RemoteSource {
    supervisor: Arc<Supervisor>,
    at: usize,
    name: String,
    root: String,
    /// The packages of the last scan: what the host may know a stamp of.
    seen: Mutex<HashSet<String>>,
}

impl RemoteSource {
    fn call(&self, call: Call, cancel: &Cancel) -> Result<Answered, SourceError> {
        Ok(self.supervisor.call(call, cancel, &mut |_, _| Err(nonsense()))?)
    }

    fn scan_some(
        &self,
        packages: Option<&[PackagePath]>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<Coverage, SourceError> {
        let seen = locked(&self.seen).clone();
        let known = |package: String| {
            let stamp = sink.known(&package)?;
            Some((package, stamped(stamp)))
        };
        let known: Vec<_> = seen.into_iter().filter_map(known).collect();
        let asked = packages.map(|some| some.iter().map(|path| path.as_str().into()).collect());
        let call = Call::Scan { source: self.at, packages: asked, known };
        let mut scan = Scan::new(sink, cancel);
        let answer =
            self.supervisor.call(call, cancel, &mut |part, heads| scan.take(part, &heads))?;
        let (Answer::Scanned { is_everything }, _) = answer else {
            return Err(nonsense());
        };
        let (seen, short) = scan.end()?;
        // No place for a call is held any more, so that one scan cannot keep another from reading.
        for (package, file, stamp) in short {
            self.read_further(&package, &file, stamp, sink, cancel)?;
        }
        let mut known = locked(&self.seen);
        match is_everything {
            true => *known = seen,
            false => known.extend(seen),
        }
        Ok(if is_everything { Coverage::Everything } else { Coverage::Asked })
    }

    /// Shows the sink the whole of a file of which the head was too short.
    fn read_further(
        &self,
        package: &str,
        file: &str,
        stamp: Option<Stamp>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<(), SourceError> {
        let resource = file.to_owned();
        let limit = ReadLimit::default().0;
        let call = Call::Read { source: self.at, package: package.into(), resource, limit };
        match self.call(call, cancel) {
            Ok((Answer::Read, bytes)) => {
                let head = &*bytes;
                let size = Some(head.len() as u64);
                sink.found(Found { package, file, stamp, size, head, is_whole_file: true });
                Ok(())
            }
            Ok(_) => Err(nonsense()),
            Err(error) if error.kind == SourceErrorKind::Cancelled => Err(error),
            Err(error) => {
                sink.problem(problem(error.kind.as_str(), package, error.message));
                Ok(())
            }
        }
    }
}

impl SkillSource for RemoteSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn root(&self) -> &str {
        &self.root
    }

    fn scan(&self, sink: &mut dyn ScanSink, cancel: &Cancel) -> Result<(), SourceError> {
        self.scan_some(None, sink, cancel).map(drop)
    }

    fn scan_packages(
        &self,
        packages: &[PackagePath],
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<Coverage, SourceError> {
        self.scan_some(Some(packages), sink, cancel)
    }

    fn watch(&self, listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        let begun = self.supervisor.watch(self.at, listener)?;
        let keeper = |token| Keeper { supervisor: Arc::clone(&self.supervisor), token };
        Ok(begun.map(|token| Watch::new(keeper(token))))
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        let call = Call::List { source: self.at, package: package.as_str().into(), most };
        let (Answer::Listed { resources, is_complete }, _) = self.call(call, &Cancel::default())?
        else {
            return Err(nonsense());
        };
        let resource = |(path, bytes): (String, u64)| {
            let path = ResourcePath::new(&path).map_err(|_| nonsense())?;
            Ok(Resource { path, bytes })
        };
        let resources: Result<Vec<_>, SourceError> = resources.into_iter().map(resource).collect();
        let resources = resources?;
        match resources.len() <= most && resources.is_sorted() {
            true => Ok(Listing { resources, is_complete }),
            false => Err(nonsense()),
        }
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        let call = Call::Read {
            source: self.at,
            package: package.as_str().into(),
            resource: resource.as_str().into(),
            limit: limit.0,
        };
        match self.call(call, &Cancel::default())? {
            (Answer::Read, bytes) if bytes.len() <= limit.0 => Ok(bytes),
            _ => Err(nonsense()),
        }
    }
}

/// Keeps a watch up.
struct Keeper {
    supervisor: Arc<Supervisor>,
    token: u64,
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.supervisor.unwatch(self.token);
    }
}
