//! The state that a plugin's sources and tools share: its instance, and how it is called.

mod begin;
mod call;
mod watches;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use prowess_plugin_abi::conversation::FEATURE;
use prowess_plugin_abi::{AbiError, codes};

use super::{PluginSetup, PluginStatus};
use crate::breaker::Breaker;
use crate::calls::{Calls, GaveUp, Patience};
use crate::failure::Failure;
use crate::host_api::HostSide;
use crate::instance::{Instance, Shape};
use crate::{LoadedCode, LogLevel, PluginError, PluginErrorKind, PluginLimits};

use begin::begin_in_time;
pub(crate) use call::CallContext;
use watches::Watched;

/// The state that a plugin's sources and tools share.
pub(crate) struct Shared {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) host: Arc<HostSide>,
    pub(crate) limits: PluginLimits,
    /// Whether the plugin's tools see the conversation that they are called in.
    pub(crate) shows_conversation: bool,
    config: String,
    generations: usize,
    calls: Calls,
    /// Whether it was reported that no call returns.
    was_stuck: AtomicBool,
    /// Whether calls end at a deadline; otherwise they run on the caller's thread.
    has_deadlines: bool,
    current: RwLock<Arc<Instance>>,
    state: Mutex<State>,
    watches: Mutex<BTreeMap<u64, Watched>>,
}

/// The state that changes when an instance is replaced, under a lock that is held meanwhile.
pub(crate) struct State {
    pub(crate) image: LoadedCode,
    pub(crate) generation: usize,
    /// How many images came after the first. One that could not begin stays in memory, too.
    opened: usize,
    breaker: Breaker,
}

fn milliseconds(number: u64) -> Duration {
    Duration::from_millis(number)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn start(image: LoadedCode, setup: PluginSetup) -> Result<Self, PluginError> {
        let PluginSetup { config, limits, generations, clock, log } = setup;
        let name = image.manifest().name.clone();
        let shows_conversation = image.manifest().features.iter().any(|word| word == FEATURE);
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
            shows_conversation,
            config,
            generations,
            calls,
            was_stuck: AtomicBool::new(false),
            has_deadlines: true,
            current: RwLock::new(instance),
            state: Mutex::new(State { image, generation: 0, opened: 0, breaker }),
            watches: Mutex::default(),
        })
    }

    /// Lets calls run on the caller's thread from now on, without a deadline.
    pub(crate) fn without_deadlines(self) -> Self {
        Self { has_deadlines: false, ..self }
    }

    /// Returns how long a caller waits.
    fn call_time(&self) -> Duration {
        if self.has_deadlines { milliseconds(self.limits.call_ms) } else { Duration::ZERO }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
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
        // Another thread may have been faster.
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
        self.host.log_line(LogLevel::Warn, "host", "it panicked and was begun again");
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
    fn begin(&self, image: &LoadedCode) -> Result<(Arc<Instance>, Shape), PluginError> {
        let (instance, shape) =
            begin_in_time(&self.calls, &self.host, image, &self.config, &self.limits)?;
        if shape == self.shape {
            return Ok((instance, shape));
        }
        let reason = "offers other sources or tools than it did when it began";
        let help = "restart this program to use the new ones";
        Err(PluginError::failed(PluginErrorKind::Init, image.file(), reason, help))
    }

    pub(crate) fn has_room(&self, state: &State) -> Result<(), PluginError> {
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

    pub(crate) fn replace(&self, image: LoadedCode) -> Result<(), PluginError> {
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

    /// Returns whether no call returns, and none begins any more.
    fn is_stuck(&self) -> bool {
        self.calls.lost() >= self.limits.calls_at_once.max(1)
    }

    pub(crate) fn status(&self) -> PluginStatus {
        if self.is_stuck() {
            return PluginStatus::Stuck;
        }
        let lost = self.calls.lost();
        // Looked at before the lock, which a beginning that takes long may hold.
        if !self.current().is_broken() {
            return if lost == 0 { PluginStatus::Running } else { PluginStatus::Slow { lost } };
        }
        match self.state().breaker.is_open() {
            true => PluginStatus::Quarantined,
            false => PluginStatus::Failed,
        }
    }

    fn failed(&self, instance: &Instance, error: &AbiError) -> Failure {
        let is_panic = matches!(error.code, codes::PANIC | codes::POISONED);
        if is_panic && instance.break_down() {
            self.host.failed(&error.message);
            self.lose_watches(&error.message);
        }
        Failure::reported_by(&self.name, error)
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
        self.host.log_line(LogLevel::Warn, "host", &message);
        if self.is_stuck() && !self.was_stuck.swap(true, Ordering::Relaxed) {
            self.host.failed("no call returns");
        }
        Failure { code, kind, message }
    }

    fn short_patience(&self) -> Patience<'static> {
        let limit = self.call_time();
        let grace = milliseconds(self.limits.grace_ms);
        Patience { limit, grace, cancel: None, progress: None, questions: None }
    }
}
