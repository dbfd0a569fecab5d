//! The sources of a plugin's process, as those of the core.

use std::sync::Arc;

use prowess_core::{
    Cancel, ChangeListener, Clock, Code, Coverage, Found, Listing, PackagePath, PreviousScan,
    ReadLimit, Resource, ResourcePath, ScanSink, ScanSummary, SkillSource, SourceError,
    SourceErrorKind, Stamp, ToolProvider, Watch,
};

use super::Launch;
use super::broken::nonsense;
use super::protocol::{Answer, Call, OfferedSource, stamped};
use super::scan::{Scan, problem};
use super::supervisor::{Answered, Caller, Replaced, Supervisor};
use super::tools::tools;
use super::watches::Watches;
use crate::{NoLog, PluginError, PluginLog, Staged};

/// The sources and tools of a plugin in a process of its own. The process ends when the last part
/// of this is dropped.
pub struct ProcessPlugin {
    /// Its sources.
    pub sources: Vec<Arc<dyn SkillSource>>,
    /// Its tools.
    pub tools: Arc<dyn ToolProvider>,
    supervisor: Arc<Supervisor>,
    watches: Arc<Watches>,
}

impl ProcessPlugin {
    /// Replaces this build of the plugin by another one, in a process of its own. Calls that are
    /// running end on the old build. Watchers are notified that everything may have changed.
    ///
    /// # Errors
    ///
    /// The new one does not begin, or offers something else: the old one goes on.
    pub fn replace(&self, library: Staged) -> Result<(), PluginError> {
        let Replaced { new, old } = self.supervisor.replace(library)?;
        self.watches.watch_again(&new);
        if let Some(old) = old {
            old.retire();
        }
        Ok(())
    }
}

/// Begins a plugin in a process of its own. `clock` measures deadlines and the time between
/// failures.
///
/// # Errors
///
/// The process cannot be started, or the plugin does not begin.
pub fn start_process(launch: Launch, clock: Arc<dyn Clock>) -> Result<ProcessPlugin, PluginError> {
    start_process_with(launch, clock, Arc::new(NoLog))
}

/// As [`start_process`], and reports to `log` each time that the process ends before the plugin is
/// dropped.
///
/// # Errors
///
/// As [`start_process`].
pub fn start_process_with(
    launch: Launch,
    clock: Arc<dyn Clock>,
    log: Arc<dyn PluginLog>,
) -> Result<ProcessPlugin, PluginError> {
    let shows_conversation = launch.shows_conversation;
    let supervisor = Arc::new(Supervisor::start(launch, clock, log)?);
    let watches = Arc::new(Watches::new(Arc::clone(&supervisor)));
    let offer = supervisor.offer().clone();
    let source = |(at, offered): (usize, OfferedSource)| {
        let name = offered.name;
        let root = offered.root;
        let supervisor = Arc::clone(&supervisor);
        let watches = Arc::clone(&watches);
        Arc::new(RemoteSource { supervisor, watches, at, name, root }) as Arc<_>
    };
    let sources = offer.sources.into_iter().enumerate().map(source).collect();
    let tools = tools(&supervisor, offer.tools, shows_conversation);
    Ok(ProcessPlugin { sources, tools, supervisor, watches })
}

struct RemoteSource {
    supervisor: Arc<Supervisor>,
    watches: Arc<Watches>,
    at: usize,
    name: String,
    root: String,
}

impl RemoteSource {
    fn call(&self, call: Call, cancel: &Cancel) -> Result<Answered, SourceError> {
        let part = &mut |_, _| Err(nonsense());
        Ok(self.supervisor.call(call, &mut Caller { cancel, part, answers: None })?)
    }

    fn scan_some(
        &self,
        packages: Option<&[PackagePath]>,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<Coverage, SourceError> {
        let known = previous.packages_from(0);
        let known =
            known.filter_map(|(package, stamp)| Some((package.to_owned(), stamped(stamp?))));
        let known = known.collect();
        let asked = packages.map(|some| some.iter().map(|path| path.as_str().into()).collect());
        let call = Call::Scan { source: self.at, packages: asked, known };
        let mut scan = Scan::new(sink, cancel);
        let part = &mut |part, heads: Vec<u8>| scan.take(part, &heads);
        let answer = self.supervisor.call(call, &mut Caller { cancel, part, answers: None })?;
        let (Answer::Scanned { is_everything }, _) = answer else {
            return Err(nonsense());
        };
        // No place for a call is held any more, so that one scan cannot keep another from reading.
        for (package, file, stamp) in scan.end()? {
            self.read_further(&package, &file, stamp, sink, cancel)?;
        }
        Ok(match is_everything {
            true => Coverage::Everything(ScanSummary::default()),
            false => Coverage::Asked,
        })
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
                sink.problem(problem(Code::new(error.kind.as_str()), package, error.message));
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

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        self.scan_some(None, previous, sink, cancel).map(|_| ScanSummary::default())
    }

    fn scan_packages(
        &self,
        packages: &[PackagePath],
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<Coverage, SourceError> {
        self.scan_some(Some(packages), previous, sink, cancel)
    }

    fn watch(&self, listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        let token = self.watches.watch(self.at, listener)?;
        let watches = &self.watches;
        Ok(token.map(|token| Watch::new(WatchGuard { watches: Arc::clone(watches), token })))
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

/// Ends a watch when it is dropped.
struct WatchGuard {
    watches: Arc<Watches>,
    token: u64,
}

impl Drop for WatchGuard {
    fn drop(&mut self) {
        self.watches.unwatch(self.token);
    }
}
