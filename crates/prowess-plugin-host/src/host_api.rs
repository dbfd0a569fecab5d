//! What a plugin may ask of this host.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abi_stable::sabi_trait::TD_Opaque;
use abi_stable::std_types::{RArc, RStr};
use prowess_core::{Cancel, ChangeListener, Clock, SourceChange};
use prowess_plugin_abi::{Change, HostApi, HostApi_TO, HostBox, levels};

use crate::adapter::convert;
use crate::guard::contain;

/// The longest line of a plugin's that is passed on.
const MAX_LINE_BYTES: usize = 8 << 10;

/// How much a plugin's message matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LogLevel {
    /// Something failed.
    Error,
    /// Something is odd.
    Warn,
    /// What is going on.
    Info,
    /// For those who look for a fault.
    Debug,
}

/// Hears what plugins have to say.
///
/// # Behavior
///
/// - Both methods are called from any thread, take note and return; they call no plugin.
pub trait PluginLog: Send + Sync {
    /// A message of the plugin with this name. `target` is the part of it that the message comes from.
    fn log(&self, plugin: &str, level: LogLevel, target: &str, message: &str);

    /// Something that happened in the plugin: a name and a JSON object. By default it is forgotten.
    fn event(&self, plugin: &str, name: &str, data: &str) {
        let _ = (plugin, name, data);
    }
}

/// Forgets what plugins say.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLog;

impl PluginLog for NoLog {
    fn log(&self, _: &str, _: LogLevel, _: &str, _: &str) {}
}

/// The host's side of one plugin. Calls and watches are known to the plugin by numbers.
pub(crate) struct HostSide {
    plugin: String,
    log: Arc<dyn PluginLog>,
    clock: Arc<dyn Clock>,
    next: AtomicU64,
    calls: Mutex<HashMap<u64, Cancel>>,
    listeners: Mutex<HashMap<u64, Arc<Entry>>>,
}

/// A listener, until its watch is dropped. It is called under the lock, so that it is not called any more
/// once it has been taken out.
type Entry = Mutex<Option<ChangeListener>>;

/// A call that is under way; afterwards its number belongs to a call that need not go on.
pub(crate) struct RunningCall<'a> {
    pub(crate) token: u64,
    host: &'a HostSide,
}

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        lock(&self.host.calls).remove(&self.token);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HostSide {
    pub(crate) fn new(plugin: &str, log: Arc<dyn PluginLog>, clock: Arc<dyn Clock>) -> Self {
        Self {
            plugin: plugin.to_owned(),
            log,
            clock,
            next: AtomicU64::new(1),
            calls: Mutex::default(),
            listeners: Mutex::default(),
        }
    }

    /// The object that an instance of the plugin keeps, and its end.
    pub(crate) fn object(self: &Arc<Self>) -> (HostBox, Arc<Ended>) {
        let ended = Arc::<Ended>::default();
        let object = HostObject { side: Arc::clone(self), ended: Arc::clone(&ended) };
        (HostApi_TO::from_ptr(RArc::new(object), TD_Opaque), ended)
    }

    pub(crate) fn say(&self, level: LogLevel, target: &str, message: &str) {
        self.log.log(&self.plugin, level, cut(target), cut(message));
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    pub(crate) fn begin_call(&self, cancel: Option<&Cancel>) -> RunningCall<'_> {
        let token = self.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.calls).insert(token, cancel.cloned().unwrap_or_default());
        RunningCall { token, host: self }
    }

    pub(crate) fn add_listener(&self, listener: ChangeListener) -> u64 {
        let token = self.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.listeners).insert(token, Arc::new(Mutex::new(Some(listener))));
        token
    }

    /// Once this has returned, the listener is not called any more.
    pub(crate) fn remove_listener(&self, token: u64) {
        let entry = lock(&self.listeners).remove(&token);
        if let Some(entry) = entry {
            *lock(&entry) = None;
        }
    }

    pub(crate) fn tell_listener(&self, token: u64, change: SourceChange) {
        let entry = lock(&self.listeners).get(&token).cloned();
        if let Some(entry) = entry
            && let Some(listener) = &*lock(&entry)
        {
            listener(change);
        }
    }
}

/// The beginning of a text that is not too long for a line.
fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_LINE_BYTES)).unwrap_or(text)
}

/// Whether an instance has ended. What it still says then is nobody's.
#[derive(Debug, Default)]
pub(crate) struct Ended(AtomicBool);

impl Ended {
    pub(crate) fn end(&self) {
        self.0.store(true, Ordering::Release);
    }
}

#[derive(Clone)]
struct HostObject {
    side: Arc<HostSide>,
    ended: Arc<Ended>,
}

impl HostObject {
    /// What the instance has to say, if it is still there.
    fn hear(&self, work: impl FnOnce(&HostSide)) {
        if !self.ended.0.load(Ordering::Acquire) {
            contain((), || work(&self.side));
        }
    }
}

impl HostApi for HostObject {
    fn log(&self, level: u32, target: RStr<'_>, message: RStr<'_>) {
        let level = match level {
            levels::ERROR => LogLevel::Error,
            levels::WARN => LogLevel::Warn,
            levels::INFO => LogLevel::Info,
            _ => LogLevel::Debug,
        };
        self.hear(|side| side.say(level, target.as_str(), message.as_str()));
    }

    fn emit(&self, name: RStr<'_>, data: RStr<'_>) {
        self.hear(|side| {
            // Half an object is none, so one that is too long is left out.
            let data = if data.len() > MAX_LINE_BYTES { "{}" } else { data.as_str() };
            side.log.event(&side.plugin, cut(name.as_str()), data);
        });
    }

    fn is_cancelled(&self, token: u64) -> u32 {
        contain(1, || {
            let calls = lock(&self.side.calls);
            u32::from(calls.get(&token).is_none_or(Cancel::is_cancelled))
        })
    }

    fn changed(&self, token: u64, change: Change<'_>) {
        self.hear(|side| side.tell_listener(token, convert::change(&change)));
    }

    fn now_ms(&self) -> u64 {
        contain(0, || self.side.clock.now().0)
    }

    fn elapsed_ns(&self) -> u64 {
        contain(0, || u64::try_from(self.side.clock.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }
}
