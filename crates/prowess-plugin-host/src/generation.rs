//! A running plugin, its restarts and its replacement by other builds.
//!
//! Sources and tools remain the same objects when the instance is replaced. The replacement is
//! atomic: running calls keep the old instance, and the last of them drops it.

mod call;
mod create;
mod watches;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use prowess_core::Clock;
use prowess_plugin_abi::conversation::{CallNotes, FEATURE};
use prowess_plugin_abi::{AbiError, codes};
use prowess_text::counted;
use serde_json::Value;

use crate::failure::Failure;
use crate::guard::lock;
use crate::host_api::HostSide;
use crate::instance::{Instance, Shape};
use crate::recent::Recent;
use crate::restarts::{MAX_RESTARTS, Restart, Restarts, WINDOW_SECONDS};
use crate::worker_pool::{CallError, CallOptions, WorkerPool};
use crate::{LoadedCode, LogLevel, PluginError, PluginErrorKind, PluginLimits, PluginLog};

pub(crate) use call::CallContext;
use create::create_instance;
use watches::ActiveWatch;

/// The parameters of a plugin in this process.
#[derive(Clone)]
pub struct PluginSetup {
    /// The plugin's configuration; `Null` if there is none.
    pub config: Value,
    /// Limits on time and resources.
    pub limits: PluginLimits,
    /// The maximum number of replacements. The code of each build stays in memory.
    pub generations: usize,
    /// The clock for the plugin, and for the time window of restarts.
    pub clock: Arc<dyn Clock>,
    /// Receives the log lines and events of the plugin.
    pub log: Arc<dyn PluginLog>,
}

/// The state that a plugin's sources and tools share.
pub(crate) struct Shared {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) host: Arc<HostSide>,
    pub(crate) limits: PluginLimits,
    /// Whether the plugin's tools have access to the conversation of a call.
    pub(crate) shows_conversation: bool,
    config: String,
    generations: usize,
    pool: WorkerPool,
    /// The encoded notes of the latest calls.
    notes: Recent<CallNotes, Arc<str>>,
    /// Whether it was logged that the plugin is stuck.
    was_stuck: AtomicBool,
    /// Whether calls have a timeout. Otherwise they run on the caller's thread.
    has_timeouts: bool,
    current: RwLock<Arc<Instance>>,
    state: Mutex<State>,
    watches: Mutex<BTreeMap<u64, ActiveWatch>>,
}

/// The state that changes with the instance. Its lock is held during a restart or a replacement.
pub(crate) struct State {
    pub(crate) code: LoadedCode,
    /// The number of builds after the first one, including those that failed to start: their code
    /// stays in memory, too.
    opened: usize,
    restarts: Restarts,
    /// Whether a restart was refused. Then each further one is, until the plugin is replaced.
    is_quarantined: bool,
}

fn milliseconds(number: u64) -> Duration {
    Duration::from_millis(number)
}

impl Shared {
    /// Starts the first instance of a plugin.
    pub(crate) fn start(code: LoadedCode, setup: PluginSetup) -> Result<Self, PluginError> {
        let PluginSetup { config, limits, generations, clock, log } = setup;
        let name = code.manifest().name.clone();
        let shows_conversation = code.manifest().features.iter().any(|word| word == FEATURE);
        let host = Arc::new(HostSide::new(&name, log, clock));
        let pool = WorkerPool::new(limits.calls_at_once);
        let config = if config.is_null() { String::new() } else { config.to_string() };
        let (instance, shape) = create_instance(&pool, &host, &code, &config, &limits)?;
        let restarts = Restarts::new(Duration::ZERO);
        let state = State { code, opened: 0, restarts, is_quarantined: false };
        Ok(Self {
            name,
            shape,
            host,
            limits,
            shows_conversation,
            config,
            generations,
            pool,
            notes: Recent::default(),
            was_stuck: AtomicBool::new(false),
            has_timeouts: true,
            current: RwLock::new(instance),
            state: Mutex::new(state),
            watches: Mutex::default(),
        })
    }

    /// Disables timeouts: calls run on the caller's thread.
    pub(crate) fn without_timeouts(self) -> Self {
        Self { has_timeouts: false, ..self }
    }

    /// Returns the time limit of a call; zero means no limit.
    fn call_timeout(&self) -> Duration {
        if self.has_timeouts { milliseconds(self.limits.call_ms) } else { Duration::ZERO }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Returns the current instance, even if it is broken.
    pub(crate) fn current(&self) -> Arc<Instance> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns an instance that works, and restarts the plugin if the current one is broken.
    fn instance(&self) -> Result<Arc<Instance>, Failure> {
        let current = self.current();
        if !current.is_broken() {
            return Ok(current);
        }
        let mut state = self.state();
        // Another thread may have restarted the plugin meanwhile.
        let current = self.current();
        if !current.is_broken() {
            return Ok(current);
        }
        if !state.is_quarantined {
            let now = self.host.clock().elapsed();
            state.restarts.record_failure(now);
            state.is_quarantined = state.restarts.check(now) != Restart::Now;
        }
        if state.is_quarantined {
            return Err(self.quarantined());
        }
        let (instance, _) = self.new_instance(&state.code).map_err(|error| {
            let message = format!("the plugin `{}` cannot be restarted: {error}", self.name);
            Failure::new(error.kind, codes::UNAVAILABLE, message)
        })?;
        self.host.log_line(LogLevel::Warn, "host", "restarted after a panic");
        self.publish(&instance);
        Ok(instance)
    }

    fn quarantined(&self) -> Failure {
        let message = format!(
            "the plugin `{}` was restarted {} in {} and still \
             panics, so it is not restarted again; replace it, or restart this program",
            self.name,
            counted(MAX_RESTARTS, "time"),
            counted(WINDOW_SECONDS, "second")
        );
        Failure::new(PluginErrorKind::Quarantined, codes::UNAVAILABLE, message)
    }

    /// Creates an instance, and checks that it offers the same sources and tools as the first one.
    fn new_instance(&self, code: &LoadedCode) -> Result<(Arc<Instance>, Shape), PluginError> {
        let (instance, shape) =
            create_instance(&self.pool, &self.host, code, &self.config, &self.limits)?;
        if shape == self.shape {
            return Ok((instance, shape));
        }
        let reason = "offers other sources or tools than before";
        let help = "restart this program to use the new ones";
        Err(PluginError::failed(PluginErrorKind::Init, code.file(), reason, help))
    }

    /// Checks that the plugin may be replaced once more.
    pub(crate) fn check_generations(&self, state: &State) -> Result<(), PluginError> {
        if state.opened < self.generations {
            return Ok(());
        }
        let reason = format!(
            "was replaced {}, and the code of each stays in memory",
            counted(self.generations, "time")
        );
        let help = "restart this program to reload again";
        let file = state.code.file();
        Err(PluginError::refused(PluginErrorKind::Generations, file, reason, help))
    }

    /// Replaces the instance by one of another build.
    pub(crate) fn replace(&self, code: LoadedCode) -> Result<(), PluginError> {
        let mut state = self.state();
        self.check_generations(&state)?;
        state.opened += 1;
        let (instance, _) = self.new_instance(&code)?;
        state.code = code;
        state.restarts = Restarts::new(Duration::ZERO);
        state.is_quarantined = false;
        self.publish(&instance);
        Ok(())
    }

    /// Makes an instance the current one, and moves the watches to it.
    fn publish(&self, instance: &Arc<Instance>) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *current, Arc::clone(instance));
        drop(current);
        self.move_watches_to(instance);
        // The old objects are dropped here, without the lock, unless a call still uses them.
        drop(old);
    }

    /// Returns whether every slot is taken by a call that has not returned.
    fn is_stuck(&self) -> bool {
        self.pool.abandoned() >= self.limits.calls_at_once.max(1)
    }

    /// Converts an error that the plugin returned. The first panic breaks the instance.
    fn failed(&self, instance: &Instance, error: &AbiError) -> Failure {
        let is_panic = matches!(error.code, codes::PANIC | codes::POISONED);
        if is_panic && instance.mark_broken() {
            self.host.failed(&error.message);
            self.report_lost_watches(&error.message);
        }
        Failure::reported_by(&self.name, error)
    }

    /// Converts and logs the error of a call that did not return.
    fn call_failed(&self, error: CallError) -> Failure {
        let (code, kind, reason) = match error {
            CallError::Timeout => {
                (codes::DEADLINE, Some(PluginErrorKind::Deadline), "did not answer in time")
            }
            CallError::Cancelled => {
                (codes::CANCELLED, None, "was cancelled and did not return in time")
            }
            CallError::Busy => (codes::UNAVAILABLE, None, "has too many running calls; try again"),
            CallError::Stuck => (
                codes::UNAVAILABLE,
                Some(PluginErrorKind::Quarantined),
                "is stuck: none of its calls returns; restart this program, or run the plugin in \
                 a separate process",
            ),
        };
        let message = format!("the plugin `{}` {reason}", self.name);
        self.host.log_line(LogLevel::Warn, "host", &message);
        if self.is_stuck() && !self.was_stuck.swap(true, Ordering::Relaxed) {
            self.host.failed("no call returns");
        }
        Failure { code, kind, message }
    }

    /// Returns the options of a call that cannot be cancelled.
    fn default_options(&self) -> CallOptions<'static> {
        let timeout = self.call_timeout();
        let grace = milliseconds(self.limits.grace_ms);
        CallOptions { timeout, grace, cancel: None, progress: None }
    }
}
