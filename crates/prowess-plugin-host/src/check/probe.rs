//! Access of the checks to the objects of a plugin, without the host's adapters.

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

use super::messages::{CheckJudges, Request};
use super::recorder::Recorder;
use crate::child::ProcessClock;
use crate::host_api::HostSide;
use crate::instance::{Instance, Shape, ShutdownGuard, create, into_result};
use crate::{LoadedCode, Manifest, NoLog, PluginLimits};

/// The time limit of a cancelled call, and of `shutdown`.
pub(super) const GRACE: Duration = Duration::from_secs(3);

/// The number of threads that call at once, and of rounds in which they do.
pub(super) const THREADS: usize = 8;
pub(super) const ROUNDS: usize = 20;

/// The default limit of a host for the bytes of a file.
const DEFAULT_LIMIT: u64 = 64 << 20;

/// The result of a check: notes, or the reason why it has not passed.
pub(super) type RuleResult = Result<Vec<String>, NotPassed>;

/// The reason why a check has not passed.
pub(super) enum NotPassed {
    /// The rule is violated.
    Failed { reason: String, help: String },
    /// The rule does not apply to this plugin.
    Skipped(&'static str),
}

/// Creates the error of a violated rule.
pub(super) fn failed(reason: impl Into<String>, help: impl Into<String>) -> NotPassed {
    NotPassed::Failed { reason: reason.into(), help: help.into() }
}

/// Checks a condition of a rule. If it does not hold, `why` returns the reason and the help.
pub(super) fn ensure<R: Into<String>, H: Into<String>>(
    holds: bool,
    why: impl FnOnce() -> (R, H),
) -> Result<(), NotPassed> {
    if holds {
        return Ok(());
    }
    let (reason, help) = why();
    Err(failed(reason, help))
}

/// Checks that a call reports a missing package, file or tool as such.
pub(super) fn ensure_not_found<T>(
    what: &str,
    answer: Result<T, AbiError>,
    help: &str,
) -> Result<(), NotPassed> {
    match answer {
        Err(error) if error.code == codes::NOT_FOUND => Ok(()),
        Err(error) if is_panic(&error) => Err(panicked(what, &error)),
        Err(error) => Err(failed(format!("{what} returns another error: {}", error.message), help)),
        Ok(_) => Err(failed(format!("{what} succeeds"), help)),
    }
}

/// Creates the error of a call that must succeed but failed.
pub(super) fn call_failed(what: &str, error: &AbiError) -> NotPassed {
    let AbiError { code, message, .. } = error;
    match *code {
        codes::PANIC | codes::POISONED => panicked(what, error),
        _ => failed(format!("{what} fails: {message}"), "check the requirements of the call"),
    }
}

/// Creates the error of a call that panicked.
pub(super) fn panicked(what: &str, error: &AbiError) -> NotPassed {
    let help = "return an error instead: a host stops restarting a plugin that panics often";
    failed(format!("{what} fails: {}", error.message), help)
}

pub(super) fn is_panic(error: &AbiError) -> bool {
    matches!(error.code, codes::PANIC | codes::POISONED)
}

/// An opened plugin.
pub(super) struct Probe {
    pub(super) code: LoadedCode,
    /// The configuration as text; empty if there is none.
    pub(super) config: String,
    pub(super) limits: PluginLimits,
    pub(super) judges: CheckJudges,
    /// The file to which the plugin's standard output is redirected.
    pub(super) stdout: File,
    on_step: Mutex<OnStep>,
}

/// Receives the name of the next step.
type OnStep = Box<dyn Fn(String) + Send>;

impl Probe {
    pub(super) fn new(
        code: LoadedCode,
        request: Request,
        judges: CheckJudges,
        stdout: File,
        on_step: OnStep,
    ) -> Self {
        let config = request.config.filter(|config| !config.is_null());
        let config = config.map(|config| config.to_string()).unwrap_or_default();
        Self { code, config, limits: request.limits, judges, stdout, on_step: Mutex::new(on_step) }
    }

    pub(super) fn manifest(&self) -> &Manifest {
        self.code.manifest()
    }

    /// Reports the next step, so that a crash or a timeout can be attributed to it.
    pub(super) fn step(&self, what: impl Into<String>) {
        self.on_step.lock().unwrap_or_else(std::sync::PoisonError::into_inner)(what.into());
    }

    /// Returns whether a condition holds in several concurrent threads, in each of several rounds.
    /// Each round is a step with its own time limit.
    pub(super) fn holds_concurrently(
        &self,
        calls: &str,
        condition: impl Fn() -> bool + Sync,
    ) -> bool {
        (1..=ROUNDS).all(|round| {
            self.step(format!("{THREADS} threads that {calls}, round {round} of {ROUNDS},"));
            std::thread::scope(|scope| {
                let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(&condition)).collect();
                threads.into_iter().all(|thread| thread.join().unwrap_or(false))
            })
        })
    }

    /// Creates an instance with the configuration of the check.
    pub(super) fn start(&self) -> Result<Arc<Life>, NotPassed> {
        self.start_with(&self.config).map_err(|error| call_failed("`init`", &error))
    }

    /// Creates an instance with another configuration, which may be invalid.
    pub(super) fn start_with(&self, config: &str) -> Result<Arc<Life>, AbiError> {
        self.step("`init`");
        let clock = Arc::new(ProcessClock::default());
        let host = Arc::new(HostSide::new(&self.manifest().name, Arc::new(NoLog), clock));
        let module = self.code.module;
        let call_ms = self.limits.call_ms;
        let (object, ended) = host.object();
        let shutdown = ShutdownGuard { grace: GRACE, ended };
        let (instance, shape) = create(module, object, config, shutdown)?;
        Ok(Arc::new(Life { instance, shape, host, call_ms }))
    }

    /// Creates an instance and returns its sources. Skips the check if there is none.
    pub(super) fn sources(&self) -> Result<Vec<Source>, NotPassed> {
        let sources = Life::sources(&self.start()?);
        if sources.is_empty() { Err(NotPassed::Skipped("it has no sources")) } else { Ok(sources) }
    }

    /// Creates an instance with tools. Skips the check if there is none.
    pub(super) fn tools(&self) -> Result<Arc<Life>, NotPassed> {
        let life = self.start()?;
        if life.instance.objects().tools.is_empty() {
            return Err(NotPassed::Skipped("it has no tools"));
        }
        Ok(life)
    }
}

/// An instance of the plugin. It is shut down when its last user drops it.
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

    /// Registers a call with the host, and runs it with its context.
    pub(super) fn call<T>(
        &self,
        cancel: Option<&Cancel>,
        work: impl FnOnce(CallCtx<'_>) -> T,
    ) -> T {
        let running = self.host.register_call(cancel, None);
        let trace_id = RStr::from_str("prowess-check");
        let deadline_ms = self.call_ms;
        let cancel_token = running.token;
        work(CallCtx { deadline_ms, cancel_token, trace_id, ext: RStr::empty() })
    }
}

/// A source of an instance.
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

    /// Scans the whole source.
    pub(super) fn scan(&self) -> Result<Recorder, NotPassed> {
        self.scan_with(Recorder::default())
    }

    /// Scans the whole source into this sink, which must succeed.
    pub(super) fn scan_with(&self, mut recorder: Recorder) -> Result<Recorder, NotPassed> {
        match self.scan_into(&mut recorder, None) {
            Ok(()) => Ok(recorder),
            Err(error) => Err(call_failed(&format!("a scan of `{}`", self.name), &error)),
        }
    }

    /// Scans the whole source into this sink.
    pub(super) fn scan_into(
        &self,
        recorder: &mut Recorder,
        cancel: Option<&Cancel>,
    ) -> Result<(), AbiError> {
        self.life.call(cancel, |ctx| {
            let sink = ScanSinkAbi_TO::from_ptr(RMut::new(recorder), TD_Opaque);
            into_result(self.object().scan(ctx, sink))
        })
    }

    pub(super) fn scan_packages(
        &self,
        packages: &[&str],
        recorder: &mut Recorder,
    ) -> Result<u32, AbiError> {
        let packages: Vec<RStr<'_>> = packages.iter().map(|&package| package.into()).collect();
        self.life.call(None, |ctx| {
            let sink = ScanSinkAbi_TO::from_ptr(RMut::new(recorder), TD_Opaque);
            into_result(self.object().scan_packages(ctx, RSlice::from_slice(&packages), sink))
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
            into_result(read).map(|blob| blob.as_slice().to_vec())
        })
    }

    /// Reads a file that must be there.
    pub(super) fn content(&self, package: &str, resource: &str) -> Result<Vec<u8>, NotPassed> {
        let read = self.read(package, resource, DEFAULT_LIMIT);
        read.map_err(|error| call_failed(&format!("a read of `{package}/{resource}`"), &error))
    }

    /// Requests one page of a listing.
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
            into_result(self.object().list(ctx, ListRequest { package, most, cursor, ext }))
        })
    }
}

/// Checks that concurrent calls have the results of those from one thread.
pub(super) fn same_from_all_threads(is_same: bool) -> Result<(), NotPassed> {
    ensure(is_same, || {
        let reason = format!("{THREADS} concurrent threads get other results than one");
        let help = "protect mutable state by a lock: each method may be called from several \
                    threads concurrently";
        (reason, help)
    })
}

/// Returns whether a listing was truncated on this page.
pub(super) fn is_cut(page: &ListPage) -> bool {
    page.flags & flags::CUT != 0
}

/// Runs `work` on a new thread and returns its result; `None` if it takes longer than [`GRACE`].
pub(super) fn within_grace<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        // If the receiver has timed out, the result is dropped.
        let _ = sender.send(work());
    });
    receiver.recv_timeout(GRACE).ok()
}
