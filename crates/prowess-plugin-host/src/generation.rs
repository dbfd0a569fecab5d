//! A plugin that runs: its generations and what happens when one fails.
//!
//! Sources and tools keep their identity over all instances. An instance is replaced in one swap: calls
//! that are under way keep the one that they began with, and the last of them drops it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use abi_stable::std_types::RResult;
use prowess_core::{
    Caller, Cancel, Clock, SkillSource, SourceChange, SourceError, SourceErrorKind, ToolProvider,
};
use prowess_plugin_abi::manifest::Manifest;
use prowess_plugin_abi::{AbiError, CallCtx, codes};
use serde_json::Value;

use crate::adapter::{PluginSource, PluginTools, convert};
use crate::breaker::Breaker;
use crate::calls::{Calls, GaveUp, Patience};
use crate::failure::Failure;
use crate::host_api::HostSide;
use crate::instance::{End, Instance, Shape, begin, plain};
use crate::{Image, LogLevel, PluginError, PluginErrorKind, PluginLimits, PluginLog};

/// What a plugin runs with.
#[derive(Clone)]
pub struct PluginSetup {
    /// What the operator configured for it; `Null` if nothing.
    pub config: Value,
    /// How long and how much.
    pub limits: PluginLimits,
    /// How many times it may be replaced; each leaves its code in memory.
    pub generations: usize,
    /// The time that the plugin sees, and by which failures are counted.
    pub clock: Arc<dyn Clock>,
    /// Hears what the plugin has to say.
    pub log: Arc<dyn PluginLog>,
}

/// How a plugin does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PluginStatus {
    /// It answers.
    Running,
    /// It panicked; the next call begins it again.
    Failed,
    /// It failed too often and is left alone until it is replaced.
    Quarantined,
    /// So many calls do not return, and as many more are possible before it is stuck.
    Slow {
        /// The calls that were given up.
        lost: usize,
    },
    /// No call returns, and none begins any more.
    Stuck,
}

/// A plugin that runs in this process. Clones are the same plugin; when the last of them and the last
/// source and tool of it are gone, it ends.
#[derive(Clone)]
pub struct LoadedPlugin {
    shared: Arc<Shared>,
}

impl LoadedPlugin {
    /// Begins an instance of the plugin.
    ///
    /// # Errors
    ///
    /// It refuses its configuration, fails, or does not begin in time; what it offers is not usable.
    pub fn start(image: Image, setup: PluginSetup) -> Result<Self, PluginError> {
        let shared = Shared::start(image, setup)?;
        Ok(Self { shared: Arc::new(shared) })
    }

    /// What the plugin says of itself.
    pub fn manifest(&self) -> Manifest {
        self.shared.state().image.manifest().clone()
    }

    /// Its sources. They stay the same over all generations.
    pub fn sources(&self) -> Vec<Arc<dyn SkillSource>> {
        let source = |index| Arc::new(PluginSource::new(&self.shared, index)) as _;
        (0..self.shared.shape.sources.len()).map(source).collect()
    }

    /// Its tool providers. They stay the same over all generations.
    pub fn tool_providers(&self) -> Vec<Arc<dyn ToolProvider>> {
        let provider = |index| Arc::new(PluginTools::new(&self.shared, index)) as _;
        (0..self.shared.shape.tools.len()).map(provider).collect()
    }

    /// Puts another build of the plugin in the place of this one. Calls that are under way end on the old
    /// one. Whoever watches hears that everything may have changed.
    ///
    /// # Errors
    ///
    /// The new one does not begin, offers something else, or there were too many already: the old one
    /// goes on.
    pub fn replace(&self, image: Image) -> Result<(), PluginError> {
        self.shared.replace(image)
    }

    /// Whether there is room for another build, to ask before one is opened.
    ///
    /// # Errors
    ///
    /// It was replaced too often.
    pub fn may_be_replaced(&self) -> Result<(), PluginError> {
        self.shared.has_room(&self.shared.state())
    }

    /// Which build runs: 0 for the first, and one more each time that it was replaced.
    pub fn generation(&self) -> usize {
        self.shared.state().generation
    }

    /// How it does.
    pub fn status(&self) -> PluginStatus {
        self.shared.status()
    }
}

impl fmt::Debug for LoadedPlugin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("LoadedPlugin")
            .field("file", &self.shared.state().image.file())
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}

/// What a plugin's sources and tools have in common.
pub(crate) struct Shared {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) host: Arc<HostSide>,
    pub(crate) limits: PluginLimits,
    config: String,
    generations: usize,
    calls: Calls,
    current: RwLock<Arc<Instance>>,
    state: Mutex<State>,
    watches: Mutex<BTreeMap<u64, Watched>>,
}

/// What changes when an instance is replaced. Whoever replaces one holds the lock meanwhile.
struct State {
    image: Image,
    generation: usize,
    /// How many images came after the first. One that could not begin stays in memory, too.
    opened: usize,
    breaker: Breaker,
}

/// A watch that somebody keeps: of which source, and its number in which instance.
struct Watched {
    source: usize,
    instance: Arc<Instance>,
    number: u64,
}

fn milliseconds(number: u64) -> Duration {
    Duration::from_millis(number)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn start(image: Image, setup: PluginSetup) -> Result<Self, PluginError> {
        let PluginSetup { config, limits, generations, clock, log } = setup;
        let name = image.manifest().name.clone();
        let host = Arc::new(HostSide::new(&name, log, clock));
        let calls = Calls::new(limits.calls_at_once);
        let config = if config.is_null() { String::new() } else { config.to_string() };
        let (instance, shape) = begin_in_time(&calls, &host, &image, &config, &limits)?;
        let breaker = Breaker::new(limits.restarts, Duration::from_secs(limits.restart_window_s));
        Ok(Self {
            name,
            shape,
            host,
            limits,
            config,
            generations,
            calls,
            current: RwLock::new(instance),
            state: Mutex::new(State { image, generation: 0, opened: 0, breaker }),
            watches: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// The instance that calls go to, even if it is broken.
    pub(crate) fn current(&self) -> Arc<Instance> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The instance to call, begun again if the last one broke.
    fn instance(&self) -> Result<Arc<Instance>, Failure> {
        let current = self.current();
        if !current.is_broken() {
            return Ok(current);
        }
        let mut state = self.state();
        // Somebody else may have been faster.
        let current = self.current();
        if !current.is_broken() {
            return Ok(current);
        }
        if !state.breaker.may_begin_again(self.host.clock().elapsed()) {
            return Err(self.quarantined());
        }
        let (instance, _) = self.begin(&state.image).map_err(|error| {
            let message = format!("the plugin `{}` cannot be begun again: {error}", self.name);
            Failure::of(error.kind, codes::UNAVAILABLE, message)
        })?;
        self.host.say(LogLevel::Warn, "host", "it panicked and was begun again");
        self.publish(&instance);
        Ok(instance)
    }

    fn quarantined(&self) -> Failure {
        let PluginLimits { restarts, restart_window_s, .. } = self.limits;
        let message = format!(
            "the plugin `{}` was begun again {restarts} times in {restart_window_s} seconds and still \
             panics, so it is left alone; replace it, or restart this program",
            self.name
        );
        Failure::of(PluginErrorKind::Quarantined, codes::UNAVAILABLE, message)
    }

    /// A further instance, which has to offer what the first one does.
    fn begin(&self, image: &Image) -> Result<(Arc<Instance>, Shape), PluginError> {
        let (instance, shape) =
            begin_in_time(&self.calls, &self.host, image, &self.config, &self.limits)?;
        if shape == self.shape {
            return Ok((instance, shape));
        }
        let reason = "offers other sources or tools than it did when it began";
        let help = "restart this program to use the new ones";
        Err(PluginError::failed(PluginErrorKind::Init, image.file(), reason, help))
    }

    fn has_room(&self, state: &State) -> Result<(), PluginError> {
        if state.opened < self.generations {
            return Ok(());
        }
        let reason = format!(
            "was replaced {} times, and the code of each stays in memory",
            self.generations
        );
        let help = "restart this program to reload again";
        let file = state.image.file();
        Err(PluginError::refused(PluginErrorKind::Generations, file, reason, help))
    }

    fn replace(&self, image: Image) -> Result<(), PluginError> {
        let mut state = self.state();
        self.has_room(&state)?;
        state.opened += 1;
        let (instance, _) = self.begin(&image)?;
        state.image = image;
        state.generation += 1;
        state.breaker =
            Breaker::new(self.limits.restarts, Duration::from_secs(self.limits.restart_window_s));
        self.publish(&instance);
        Ok(())
    }

    /// Makes an instance the one that is called, and lets the watches know.
    fn publish(&self, instance: &Arc<Instance>) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *current, Arc::clone(instance));
        drop(current);
        self.watch_again(instance);
        // Its objects are dropped here unless a call still uses them; readers are not kept waiting.
        drop(old);
    }

    fn status(&self) -> PluginStatus {
        let lost = self.calls.lost();
        if lost >= self.limits.calls_at_once.max(1) {
            return PluginStatus::Stuck;
        }
        // Looked at before the lock, which a beginning that takes long may hold.
        if !self.current().is_broken() {
            return if lost == 0 { PluginStatus::Running } else { PluginStatus::Slow { lost } };
        }
        match self.state().breaker.is_open() {
            true => PluginStatus::Quarantined,
            false => PluginStatus::Failed,
        }
    }

    /// Calls the plugin. `work` gets the instance and what belongs to the call.
    pub(crate) fn call<T: Send + 'static>(
        &self,
        call: &Call<'_>,
        work: impl FnOnce(&Instance, CallCtx<'_>) -> RResult<T, AbiError> + Send + 'static,
    ) -> Result<T, Failure> {
        let instance = self.instance()?;
        let running = self.host.begin_call(call.cancel);
        let patience = Patience {
            limit: milliseconds(self.limits.call_ms),
            grace: milliseconds(self.limits.grace_ms),
            cancel: call.cancel,
            progress: call.progress,
        };
        let (cancel_token, deadline_ms) = (running.token, self.limits.call_ms);
        let conversation = call.conversation.to_owned();
        // An older plugin takes no notice, and takes the model for the caller.
        let ext = if call.caller == Caller::User { r#"{"caller":"user"}"# } else { "" };
        let called = Arc::clone(&instance);
        let answer = self.calls.run(&patience, move || {
            let trace_id = conversation.as_str().into();
            let ext = ext.into();
            plain(work(&called, CallCtx { deadline_ms, cancel_token, trace_id, ext }))
        });
        drop(running);
        match answer {
            Ok(answer) => answer.map_err(|error| self.failed(&instance, &error)),
            Err(gave_up) => Err(self.gave_up(gave_up)),
        }
    }

    fn failed(&self, instance: &Instance, error: &AbiError) -> Failure {
        let is_panic = matches!(error.code, codes::PANIC | codes::POISONED);
        if is_panic && instance.break_down() {
            self.host.say(LogLevel::Error, "host", &error.message);
            self.lose_watches(&error.message);
        }
        Failure::told_by(&self.name, error)
    }

    fn gave_up(&self, gave_up: GaveUp) -> Failure {
        let (code, kind, reason) = match gave_up {
            GaveUp::Deadline => {
                (codes::DEADLINE, Some(PluginErrorKind::Deadline), "did not answer in time")
            }
            GaveUp::Cancelled => (codes::CANCELLED, None, "was cancelled and did not end in time"),
            GaveUp::Busy => (codes::UNAVAILABLE, None, "has too many calls under way; try again"),
            GaveUp::Stuck => (
                codes::UNAVAILABLE,
                Some(PluginErrorKind::Quarantined),
                "is stuck: none of its calls returns; restart this program, or run it in a process \
                 of its own",
            ),
        };
        let message = format!("the plugin `{}` {reason}", self.name);
        self.host.say(LogLevel::Warn, "host", &message);
        Failure { code, kind, message }
    }

    /// Begins a watch; the answer is the token to end it with, or `None` if there is nothing to watch.
    pub(crate) fn watch(&self, source: usize, token: u64) -> Result<bool, Failure> {
        // So that no other instance is published between the call and the note of it.
        let mut watches = lock(&self.watches);
        let instance = self.instance_that_watches()?;
        let number = self.begin_watch(&instance, source, token)?;
        if number != 0 {
            watches.insert(token, Watched { source, instance, number });
        }
        Ok(number != 0)
    }

    /// As [`Self::instance`], for who holds the lock of the watches: a broken one is an error.
    fn instance_that_watches(&self) -> Result<Arc<Instance>, Failure> {
        let instance = self.current();
        if instance.is_broken() {
            let message =
                format!("the plugin `{}` has just failed; scan, and watch again", self.name);
            return Err(Failure::of(PluginErrorKind::Panicked, codes::UNAVAILABLE, message));
        }
        Ok(instance)
    }

    fn begin_watch(
        &self,
        instance: &Arc<Instance>,
        source: usize,
        token: u64,
    ) -> Result<u64, Failure> {
        let called = Arc::clone(instance);
        let answer = self.calls.run(&self.short_patience(), move || {
            plain(called.objects().sources[source].watch(token))
        });
        match answer {
            Ok(answer) => answer.map_err(|error| self.failed(instance, &error)),
            Err(gave_up) => Err(self.gave_up(gave_up)),
        }
    }

    pub(crate) fn unwatch(&self, token: u64) {
        self.host.remove_listener(token);
        let watched = lock(&self.watches).remove(&token);
        if let Some(Watched { source, instance, number }) = watched {
            // What does not end in time is left to the instance's own end.
            let _ = self.calls.run(&self.short_patience(), move || {
                instance.objects().sources[source].unwatch(number);
            });
        }
    }

    fn short_patience(&self) -> Patience<'static> {
        let limit = milliseconds(self.limits.call_ms);
        let grace = milliseconds(self.limits.grace_ms);
        Patience { limit, grace, cancel: None, progress: None }
    }

    /// Every watch goes over to this instance.
    fn watch_again(&self, instance: &Arc<Instance>) {
        let mut watches = lock(&self.watches);
        for (&token, watched) in &mut *watches {
            match self.begin_watch(instance, watched.source, token) {
                Ok(number) => {
                    (watched.instance, watched.number) = (Arc::clone(instance), number);
                    self.host.tell_listener(token, SourceChange::Everything);
                }
                Err(failure) => {
                    let lost = SourceChange::Lost(convert::source_error(&failure));
                    self.host.tell_listener(token, lost);
                }
            }
        }
    }

    fn lose_watches(&self, reason: &str) {
        let tokens: Vec<_> = match self.watches.try_lock() {
            Ok(watches) => watches.keys().copied().collect(),
            // Held by who is just watching and will hear of the failure itself.
            Err(_) => return,
        };
        for token in tokens {
            let error = SourceError::new(SourceErrorKind::Unavailable, reason);
            self.host.tell_listener(token, SourceChange::Lost(error));
        }
    }
}

/// What a call brings along.
#[derive(Clone, Copy, Default)]
pub(crate) struct Call<'a> {
    pub(crate) cancel: Option<&'a Cancel>,
    pub(crate) progress: Option<&'a std::sync::atomic::AtomicU64>,
    pub(crate) conversation: &'a str,
    pub(crate) caller: Caller,
}

fn begin_in_time(
    calls: &Calls,
    host: &Arc<HostSide>,
    image: &Image,
    config: &str,
    limits: &PluginLimits,
) -> Result<(Arc<Instance>, Shape), PluginError> {
    let failed =
        |kind, reason: String, help: &str| PluginError::failed(kind, image.file(), reason, help);
    let grace = milliseconds(limits.grace_ms);
    let patience =
        Patience { limit: milliseconds(limits.init_ms), grace, cancel: None, progress: None };
    let (module, config) = (image.module, config.to_owned());
    let (host, ended) = host.object();
    let begun = calls.run(&patience, move || begin(module, host, &config, End { grace, ended }));
    let begun = begun.map_err(|_| {
        let reason = format!("did not begin within {} ms", limits.init_ms);
        failed(PluginErrorKind::Init, reason, "raise `init_ms` if it has much to do")
    })?;
    let (mut instance, shape) = begun.map_err(|error| {
        let kind = match error.code {
            codes::PANIC | codes::POISONED => PluginErrorKind::Panicked,
            _ => PluginErrorKind::Init,
        };
        let help = match error.code {
            codes::INVALID_ARGUMENT => "mend its configuration",
            codes::PANIC => "report it to its author",
            _ => "see what it needs in its documentation",
        };
        failed(kind, format!("cannot begin: {}", error.message), help)
    })?;
    convert::check_tools(&shape.tools, limits.answer_bytes)
        .map_err(|reason| failed(PluginErrorKind::Protocol, reason, "report it to its author"))?;
    instance.build = image.build;
    Ok((Arc::new(instance), shape))
}
