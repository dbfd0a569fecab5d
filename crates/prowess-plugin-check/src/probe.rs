//! The plugin as a check sees it: raw, as it crosses the boundary.

use std::fs::File;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use abi_stable::sabi_trait::TD_Opaque;
use abi_stable::sabi_types::RMut;
use abi_stable::std_types::{RSlice, RStr};
use prowess_core::Cancel;
use prowess_plugin_abi::{
    AbiError, CallCtx, ListPage, ListRequest, ReadRequest, ScanSinkAbi_TO, SourceBox, ToolsBox,
    codes, flags,
};

use super::messages::{Ask, CheckJudges};
use super::recorder::Recorder;
use prowess_plugin_host::kit::{End, HostSide, Instance, ProcessClock, Shape, begin, plain};
use prowess_plugin_host::{LoadedCode, Manifest, NoLog, PluginLimits};

/// How long a cancelled call may go on, and a plugin after `shutdown`.
pub(super) const SOON: Duration = Duration::from_secs(3);

/// The result of a check: notes, or how its rule is broken.
pub(super) type Checked = Result<Vec<String>, Broken>;

/// Why a check has not passed.
pub(super) enum Broken {
    /// How the rule is broken, and what to do.
    Rule { reason: String, help: String },
    /// There is nothing that the rule is about.
    Nothing(&'static str),
}

/// A broken rule.
pub(super) fn broken(reason: impl Into<String>, help: impl Into<String>) -> Broken {
    Broken::Rule { reason: reason.into(), help: help.into() }
}

/// A call that had to be answered and was not.
pub(super) fn unanswered(what: &str, error: &AbiError) -> Broken {
    let AbiError { code, message, .. } = error;
    match *code {
        codes::PANIC | codes::POISONED => panicked(what, error),
        _ => broken(format!("{what} fails: {message}"), "see what it needs in order to answer"),
    }
}

/// A call that panicked.
pub(super) fn panicked(what: &str, error: &AbiError) -> Broken {
    let help = "return an error instead: a host begins a plugin that panics only so many times";
    broken(format!("{what} fails: {}", error.message), help)
}

pub(super) fn is_panic(error: &AbiError) -> bool {
    matches!(error.code, codes::PANIC | codes::POISONED)
}

/// An opened plugin.
pub(super) struct Probe {
    pub(super) image: LoadedCode,
    /// The configuration as text; empty if there is none.
    pub(super) config: String,
    pub(super) limits: PluginLimits,
    pub(super) judges: CheckJudges,
    /// Where the plugin's standard output goes.
    pub(super) stdout: File,
    tell: Mutex<Tell>,
}

/// Says what comes next.
type Tell = Box<dyn Fn(String) + Send>;

impl Probe {
    pub(super) fn new(
        image: LoadedCode,
        ask: Ask,
        judges: CheckJudges,
        stdout: File,
        tell: Tell,
    ) -> Self {
        let config = ask.config.filter(|config| !config.is_null());
        let config = config.map(|config| config.to_string()).unwrap_or_default();
        Self { image, config, limits: ask.limits, judges, stdout, tell: Mutex::new(tell) }
    }

    pub(super) fn manifest(&self) -> &Manifest {
        self.image.manifest()
    }

    /// Says what comes next, for the case that this is the last that is received of the plugin.
    pub(super) fn step(&self, what: impl Into<String>) {
        self.tell.lock().unwrap_or_else(std::sync::PoisonError::into_inner)(what.into());
    }

    /// An instance with its configuration.
    pub(super) fn begin(&self) -> Result<Arc<Life>, Broken> {
        self.begin_with(&self.config).map_err(|error| unanswered("`init`", &error))
    }

    /// An instance with any text as its configuration.
    pub(super) fn begin_with(&self, config: &str) -> Result<Arc<Life>, AbiError> {
        self.step("`init`");
        let clock = Arc::new(ProcessClock::default());
        let host = Arc::new(HostSide::new(&self.manifest().name, Arc::new(NoLog), clock));
        let module = self.image.module();
        let call_ms = self.limits.call_ms;
        let (object, ended) = host.object();
        let end = End { grace: SOON, ended };
        let (instance, shape) = begin(module, object, config, end)?;
        Ok(Arc::new(Life { instance, shape, host, call_ms }))
    }

    /// The sources of a new instance. Without any, there is nothing to check.
    pub(super) fn sources(&self) -> Result<Vec<Source>, Broken> {
        let sources = Life::sources(&self.begin()?);
        match sources.is_empty() {
            true => Err(Broken::Nothing("it has no sources")),
            false => Ok(sources),
        }
    }

    /// The tools of a new instance. Without any, there is nothing to check.
    pub(super) fn tools(&self) -> Result<Arc<Life>, Broken> {
        let life = self.begin()?;
        match life.instance.objects().tools.is_empty() {
            true => Err(Broken::Nothing("it has no tools")),
            false => Ok(life),
        }
    }
}

/// An instance of the plugin. It ends when its last user drops it.
pub(super) struct Life {
    pub(super) instance: Instance,
    pub(super) shape: Shape,
    pub(super) host: Arc<HostSide>,
    call_ms: u64,
}

impl Life {
    pub(super) fn sources(self: &Arc<Self>) -> Vec<Source> {
        let names = self.shape.sources.iter().enumerate();
        let source = |(index, (name, _)): (usize, &(String, String))| Source {
            life: Arc::clone(self),
            index,
            name: name.clone(),
        };
        names.map(source).collect()
    }

    pub(super) fn tools(&self) -> &[ToolsBox] {
        &self.instance.objects().tools
    }

    /// Calls the plugin with what belongs to a call.
    pub(super) fn call<T>(
        &self,
        cancel: Option<&Cancel>,
        work: impl FnOnce(CallCtx<'_>) -> T,
    ) -> T {
        let running = self.host.begin_call(cancel);
        let trace_id = RStr::from_str("prowess-plugin-check");
        let deadline_ms = self.call_ms;
        let cancel_token = running.token;
        work(CallCtx { deadline_ms, cancel_token, trace_id, ext: RStr::empty() })
    }
}

/// One source of an instance.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) life: Arc<Life>,
    index: usize,
    pub(super) name: String,
}

impl Source {
    pub(super) fn object(&self) -> &SourceBox {
        &self.life.instance.objects().sources[self.index]
    }

    /// A scan of everything.
    pub(super) fn scan(&self) -> Result<Recorder, Broken> {
        let mut recorder = Recorder::default();
        match self.scan_into(&mut recorder, None) {
            Ok(()) => Ok(recorder),
            Err(error) => Err(unanswered(&format!("a scan of `{}`", self.name), &error)),
        }
    }

    /// A scan of everything into this sink.
    pub(super) fn scan_into(
        &self,
        recorder: &mut Recorder,
        cancel: Option<&Cancel>,
    ) -> Result<(), AbiError> {
        self.life.call(cancel, |ctx| {
            let sink = ScanSinkAbi_TO::from_ptr(RMut::new(recorder), TD_Opaque);
            plain(self.object().scan(ctx, sink))
        })
    }

    /// A scan of some packages.
    pub(super) fn scan_packages(
        &self,
        packages: &[&str],
        recorder: &mut Recorder,
    ) -> Result<u32, AbiError> {
        let packages: Vec<RStr<'_>> = packages.iter().map(|&package| package.into()).collect();
        self.life.call(None, |ctx| {
            let sink = ScanSinkAbi_TO::from_ptr(RMut::new(recorder), TD_Opaque);
            plain(self.object().scan_packages(ctx, RSlice::from_slice(&packages), sink))
        })
    }

    pub(super) fn read(
        &self,
        package: &str,
        resource: &str,
        limit: u64,
    ) -> Result<Vec<u8>, AbiError> {
        let package = package.into();
        let resource = resource.into();
        let ext = RStr::empty();
        self.life.call(None, |ctx| {
            let read = self.object().read(ctx, ReadRequest { package, resource, limit, ext });
            plain(read).map(|blob| blob.as_slice().to_vec())
        })
    }

    /// One page of a listing.
    pub(super) fn page(
        &self,
        package: &str,
        most: u64,
        cursor: &str,
    ) -> Result<ListPage, AbiError> {
        let package = package.into();
        let cursor = cursor.into();
        let ext = RStr::empty();
        self.life.call(None, |ctx| {
            plain(self.object().list(ctx, ListRequest { package, most, cursor, ext }))
        })
    }
}

/// Whether a listing was cut on this page.
pub(super) fn is_cut(page: &ListPage) -> bool {
    page.flags & flags::CUT != 0
}

/// Returns the result of `work`, on a thread of its own; `None` if it goes on for longer than
/// [`SOON`].
pub(super) fn soon<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        // A result that comes too late is dropped.
        let _ = sender.send(work());
    });
    receiver.recv_timeout(SOON).ok()
}
