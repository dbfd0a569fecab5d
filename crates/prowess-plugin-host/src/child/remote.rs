//! Adapts the sources of a plugin's process to the core's traits.

use std::sync::Arc;
use std::time::Duration;

use prowess_core::{
    Cancel, ChangeListener, Clock, Code, Coverage, Found, Listing, PackagePath, PreviousScan,
    ReadLimit, Resource, ResourcePath, ScanSink, ScanSummary, SkillSource, SourceError,
    SourceErrorKind, Stamp, ToolProvider, Watch,
};

use super::Launch;
use super::error::invalid_answer;
use super::protocol::{Answer, Call, OfferedSource, stamped};
use super::scan::{Scan, problem};
use super::supervisor::{Answered, CallHandlers, Replaced, Supervisor};
use super::tools::tools;
use super::watches::Watches;
use crate::{PluginError, PluginLog, Staged};

/// A plugin in a separate process. The process ends when this value and all its sources and tools
/// are dropped.
pub struct ProcessPlugin {
    /// The plugin's sources.
    pub sources: Vec<Arc<dyn SkillSource>>,
    /// The plugin's tools.
    pub tools: Arc<dyn ToolProvider>,
    supervisor: Arc<Supervisor>,
    watches: Arc<Watches>,
}

impl ProcessPlugin {
    /// Starts another build of the plugin and ends this one. Running calls end on the old build.
    /// Watches report that everything may have changed.
    ///
    /// # Errors
    ///
    /// Returns an error if the new build does not start or offers other sources or tools. The old
    /// build keeps running.
    pub fn replace(&self, library: Staged) -> Result<(), PluginError> {
        let Replaced { new, old } = self.supervisor.replace(library)?;
        self.watches.move_to(&new);
        if let Some(old) = old {
            old.retire();
        }
        Ok(())
    }
}

/// Starts a plugin in a separate process. `clock` measures timeouts and the time between failures.
/// `log` receives a report when the process ends before the plugin is dropped.
///
/// # Errors
///
/// Returns an error if the process or the plugin cannot be started.
pub fn start_process(
    launch: Launch,
    clock: Arc<dyn Clock>,
    log: Arc<dyn PluginLog>,
) -> Result<ProcessPlugin, PluginError> {
    let shows_conversation = launch.shows_conversation;
    let supervisor = Arc::new(Supervisor::start(launch, clock, log)?);
    let watches = Arc::new(Watches::new(Arc::clone(&supervisor)));
    let offer = supervisor.offer().clone();
    let source = |(index, offered): (usize, OfferedSource)| {
        let name = offered.name;
        let root = offered.root;
        let supervisor = Arc::clone(&supervisor);
        let watches = Arc::clone(&watches);
        Arc::new(RemoteSource { supervisor, watches, index, name, root }) as Arc<_>
    };
    let sources = offer.sources.into_iter().enumerate().map(source).collect();
    let tools = tools(&supervisor, offer.tools, shows_conversation);
    Ok(ProcessPlugin { sources, tools, supervisor, watches })
}

/// A source of a plugin's process.
struct RemoteSource {
    supervisor: Arc<Supervisor>,
    watches: Arc<Watches>,
    index: usize,
    name: String,
    root: String,
}

impl RemoteSource {
    fn call(&self, call: Call, cancel: &Cancel) -> Result<Answered, SourceError> {
        let part = &mut |_, _| Err(invalid_answer());
        Ok(self.supervisor.call(call, &mut CallHandlers { cancel, part, answers: None })?)
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
        let call = Call::Scan { source: self.index, packages: asked, known };
        let mut scan = Scan::new(sink, cancel, self.supervisor.limits().answer_bytes);
        let part = &mut |part, heads: Vec<u8>| scan.take(part, &heads);
        let answer =
            self.supervisor.call(call, &mut CallHandlers { cancel, part, answers: None })?;
        let (Answer::Scanned { is_everything }, _) = answer else {
            return Err(invalid_answer());
        };
        // The slot of the scan is free again, so that scans cannot block each other's reads.
        for (package, file, stamp) in scan.end()? {
            self.read_further(&package, &file, stamp, sink, cancel)?;
        }
        if !is_everything {
            return Ok(Coverage::Asked);
        }
        Ok(Coverage::Everything(ScanSummary::default()))
    }

    /// Reads a whole file whose beginning was too short, and reports it to the sink.
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
        let call = Call::Read { source: self.index, package: package.into(), resource, limit };
        match self.call(call, cancel) {
            Ok((Answer::Read, bytes)) => {
                let head = &*bytes;
                let size = Some(head.len() as u64);
                sink.found(Found { package, file, stamp, size, head, is_whole_file: true });
                Ok(())
            }
            Ok(_) => Err(invalid_answer()),
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

    fn patience(&self) -> Option<Duration> {
        Some(self.supervisor.limits().patience())
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
        let token = self.watches.watch(self.index, listener)?;
        let watches = &self.watches;
        Ok(token.map(|token| Watch::new(WatchGuard { watches: Arc::clone(watches), token })))
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        let call = Call::List { source: self.index, package: package.as_str().into(), most };
        let (Answer::Listed { resources, is_complete }, _) = self.call(call, &Cancel::default())?
        else {
            return Err(invalid_answer());
        };
        let resource = |(path, bytes): (String, u64)| {
            let path = ResourcePath::new(&path).map_err(|_| invalid_answer())?;
            Ok(Resource { path, bytes })
        };
        let resources: Result<Vec<_>, SourceError> = resources.into_iter().map(resource).collect();
        let resources = resources?;
        if resources.len() > most || !resources.is_sorted() {
            return Err(invalid_answer());
        }
        Ok(Listing { resources, is_complete })
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        let call = Call::Read {
            source: self.index,
            package: package.as_str().into(),
            resource: resource.as_str().into(),
            limit: limit.0,
        };
        match self.call(call, &Cancel::default())? {
            (Answer::Read, bytes) if bytes.len() <= limit.0 => Ok(bytes),
            _ => Err(invalid_answer()),
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
