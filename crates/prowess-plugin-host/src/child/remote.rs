//! The sources and tools of a plugin's process, as those of the core.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use prowess_core::{
    Cancel, Catalog, ChangeListener, Clock, Code, Coverage, Diagnostic, Found, Listing,
    PackagePath, ReadFurther, ReadLimit, Resource, ResourcePath, ScanSink, Severity, SkillSource,
    SourceError, SourceErrorKind, Stamp, Tool, ToolContext, ToolDefinition, ToolProvider,
    ToolResult, Watch,
};
use serde_json::Value;

use super::protocol::{Answer, Call, FoundPackage, OfferedTool, Reply, stamped};
use super::supervisor::{Answered, Broken, Supervisor, cancelled, nonsense};
use super::{Launch, locked};
use crate::{PluginError, Staged};

/// The most packages that a source may have.
const MAX_PACKAGES: usize = 1_000_000;

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
    let source = |(at, offered): (usize, super::protocol::OfferedSource)| {
        let (name, root) = (offered.name, offered.root);
        let supervisor = Arc::clone(&supervisor);
        Arc::new(RemoteSource { supervisor, at, name, root, seen: Mutex::default() }) as Arc<_>
    };
    let sources = offer.sources.into_iter().enumerate().map(source).collect();
    let tool = |(at, offered)| {
        Arc::new(RemoteTool { supervisor: Arc::clone(&supervisor), at, offered }) as Arc<dyn Tool>
    };
    let tools = RemoteTools(offer.tools.into_iter().enumerate().map(tool).collect());
    Ok(ProcessPlugin { sources, tools: Arc::new(tools), supervisor })
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
        let mut scan = Scan { sink, cancel, seen: HashSet::new(), short: Vec::new() };
        let answer =
            self.supervisor.call(call, cancel, &mut |part, heads| scan.take(part, &heads))?;
        let (Answer::Scanned { is_everything }, _) = answer else {
            return Err(nonsense());
        };
        scan.go_on()?;
        let Scan { seen, short, .. } = scan;
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

/// The parts of a scan on their way to the sink. Nothing of what a plugin says is taken on trust.
struct Scan<'a> {
    sink: &'a mut dyn ScanSink,
    cancel: &'a Cancel,
    seen: HashSet<String>,
    /// What has to be read further: package, file and stamp.
    short: Vec<(String, String, Option<Stamp>)>,
}

impl Scan<'_> {
    fn take(&mut self, part: Reply, heads: &[u8]) -> Result<(), SourceError> {
        let Reply::Part { found, unchanged, problems, .. } = part else {
            return Err(nonsense());
        };
        let mut heads = heads;
        for package in found {
            let (head, rest) = heads.split_at_checked(package.head).ok_or_else(nonsense)?;
            heads = rest;
            self.found(package, head)?;
        }
        for package in unchanged {
            if self.is_new(&package)? {
                self.sink.unchanged(&package);
            }
        }
        for problem in problems {
            self.sink.problem(problem);
        }
        Ok(())
    }

    fn found(&mut self, found: FoundPackage, head: &[u8]) -> Result<(), SourceError> {
        if !self.is_new(&found.package)? {
            return Ok(());
        }
        let FoundPackage { package, file, stamp, size, is_whole_file, .. } = found;
        let stamp = stamp.map(Stamp);
        let shown = Found { package: &package, file: &file, stamp, size, head, is_whole_file };
        let further = self.sink.found(shown);
        if further != ReadFurther::No && !is_whole_file {
            self.short.push((package, file, stamp));
        }
        Ok(())
    }

    /// The plugin may have reported everything before the host changed its mind.
    fn go_on(&self) -> Result<(), SourceError> {
        if self.cancel.is_cancelled() { Err(cancelled()) } else { Ok(()) }
    }

    /// Whether this is a package's path that was not reported before. Others are told.
    fn is_new(&mut self, package: &str) -> Result<bool, SourceError> {
        self.go_on()?;
        if self.seen.len() >= MAX_PACKAGES {
            return Err(nonsense());
        }
        let is_path = PackagePath::new(package).is_ok_and(|path| path.as_str() == package);
        let reason = match is_path {
            true if self.seen.insert(package.to_owned()) => return Ok(true),
            true => "the plugin reports this package twice",
            false => "the plugin reports a package by a path that is none",
        };
        self.sink.problem(problem("plugin-protocol-broken", package, reason.into()));
        Ok(false)
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

struct RemoteTools(Vec<Arc<dyn Tool>>);

impl ToolProvider for RemoteTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.0.clone()
    }
}

struct RemoteTool {
    supervisor: Arc<Supervisor>,
    at: usize,
    offered: OfferedTool,
}

impl Tool for RemoteTool {
    fn definition(&self, _: &Catalog) -> ToolDefinition {
        let OfferedTool { name, description, input_schema, .. } = self.offered.clone();
        ToolDefinition { name, description, input_schema }
    }

    fn accepts(&self, _: &Catalog) -> Value {
        self.offered.accepts.clone()
    }

    fn is_offered(&self, _: &Catalog) -> bool {
        self.offered.is_offered
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        let session = context.session.id().as_str().to_owned();
        let (arguments, caller) = (arguments.clone(), context.caller);
        let call = Call::Tool { tool: self.at, arguments, session, caller };
        match self.supervisor.call(call, context.cancel, &mut |_, _| Err(nonsense())) {
            Ok((Answer::Told(told), _)) => told.into(),
            Ok(_) => failed(Broken::Told(nonsense())),
            Err(broken) => failed(broken),
        }
    }
}

fn failed(broken: Broken) -> ToolResult {
    let (code, message) = match broken {
        Broken::Process(error) => (error.kind.as_str(), error.to_string()),
        Broken::Told(error) if error.kind == SourceErrorKind::Cancelled => {
            ("cancelled", error.message)
        }
        Broken::Told(error) => ("plugin-failed", error.message),
    };
    ToolResult::error(Code::new(code), message)
}

fn problem(code: &'static str, package: &str, message: String) -> Diagnostic {
    let help = "ask the author of the plugin";
    let code = Code::new(code);
    Diagnostic {
        path: Some(package.into()),
        ..Diagnostic::new(code, Severity::Error, message, help)
    }
}
