//! The host object that a plugin calls.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use abi_stable::sabi_trait::TD_Opaque;
use abi_stable::std_types::{RArc, RResult, RStr};
use hashbrown::HashMap;
use prowess_core::{Cancel, ChangeListener, Clock, Digest, SourceChange};
use prowess_plugin_abi::{
    AbiError, Blob, Change, HostApi, HostApi_TO, HostBox, codes, levels, text,
};

use crate::adapter::convert;
use crate::conversation::LentAnswers;
use crate::guard::{contain, lock};

/// The maximum length of a plugin's log line.
const MAX_LINE_BYTES: usize = 8 << 10;
/// The maximum length of a question.
const MAX_QUESTION_BYTES: usize = 1 << 20;

/// The severity of a plugin's log message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LogLevel {
    /// Something failed.
    Error,
    /// Something is unexpected, but does not fail.
    Warn,
    /// Progress.
    Info,
    /// Details for debugging.
    Debug,
}

/// Receives the messages of plugins.
///
/// # Behavior
///
/// - The methods are called from any thread. They return quickly and do not call a plugin.
pub trait PluginLog: Send + Sync {
    /// Receives a log message of a plugin. `target` names the part of the plugin that logs it.
    fn log(&self, plugin: &str, level: LogLevel, target: &str, message: &str);

    /// Receives an event of a plugin: a name and a JSON object. By default, it is dropped.
    fn event(&self, plugin: &str, name: &str, data: &str) {
        let _ = (plugin, name, data);
    }

    /// Reports that another build of a plugin runs now. By default, this logs a message at level
    /// `Info`.
    fn replaced(&self, plugin: &str, version: &str, digest: Digest) {
        let message = format!("replaced by version {version}, {digest}");
        self.log(plugin, LogLevel::Info, "host", &message);
    }

    /// Reports that a plugin failed: it panicked, its process ended, or it is stuck. It may be
    /// restarted later. By default, this logs a message at level `Error`.
    fn failed(&self, plugin: &str, reason: &str) {
        self.log(plugin, LogLevel::Error, "host", reason);
    }
}

/// A log that drops all messages.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLog;

impl PluginLog for NoLog {
    fn log(&self, _: &str, _: LogLevel, _: &str, _: &str) {}
}

/// The calls and listeners of one plugin. The plugin refers to them by tokens.
pub(crate) struct HostSide {
    plugin: String,
    log: Arc<dyn PluginLog>,
    clock: Arc<dyn Clock>,
    next: AtomicU64,
    calls: Mutex<HashMap<u64, CallEntry>>,
    listeners: Mutex<HashMap<u64, Arc<ListenerEntry>>>,
}

/// A listener; `None` after its watch was dropped. It is called under the lock, so that it is not
/// called after its removal.
type ListenerEntry = Mutex<Option<ChangeListener>>;

/// A running call.
#[derive(Default)]
struct CallEntry {
    cancel: Cancel,
    /// `None` if the call has no conversation.
    answers: Option<Arc<LentAnswers>>,
}

/// The registration of a running call. After it is dropped, the call counts as cancelled.
pub(crate) struct RunningCall<'a> {
    /// The token by which the plugin refers to the call.
    pub(crate) token: u64,
    host: &'a HostSide,
}

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        lock(&self.host.calls).remove(&self.token);
    }
}

impl HostSide {
    /// Creates the tables for the plugin with this name.
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

    /// Returns the host object for a new instance, and the flag that disables it.
    pub(crate) fn object(self: &Arc<Self>) -> (HostBox, Arc<EndedFlag>) {
        let ended = Arc::<EndedFlag>::default();
        let object = HostObject { side: Arc::clone(self), ended: Arc::clone(&ended) };
        (HostApi_TO::from_ptr(RArc::new(object), TD_Opaque), ended)
    }

    pub(crate) fn log_line(&self, level: LogLevel, target: &str, message: &str) {
        self.log.log(&self.plugin, level, cut(target), cut(message));
    }

    pub(crate) fn failed(&self, reason: &str) {
        self.log.failed(&self.plugin, cut(reason));
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// Registers a call, whose questions `answers` answers. The token is valid until the result is
    /// dropped.
    pub(crate) fn register_call(
        &self,
        cancel: Option<&Cancel>,
        answers: Option<Arc<LentAnswers>>,
    ) -> RunningCall<'_> {
        let token = self.next.fetch_add(1, Ordering::Relaxed);
        let entry = CallEntry { cancel: cancel.cloned().unwrap_or_default(), answers };
        lock(&self.calls).insert(token, entry);
        RunningCall { token, host: self }
    }

    fn ask(&self, token: u64, question: RStr<'_>) -> Result<Vec<u8>, AbiError> {
        let question = text::checked(question)
            .map_err(|_| AbiError::new(codes::INVALID_ARGUMENT, "the question is not UTF-8"))?;
        if question.len() > MAX_QUESTION_BYTES {
            return Err(AbiError::new(codes::TOO_LARGE, "the question is too long"));
        }
        let calls = lock(&self.calls);
        let entry = calls.get(&token);
        let entry = entry.ok_or_else(|| AbiError::new(codes::CANCELLED, "the call has ended"))?;
        let answers = entry.answers.clone().ok_or_else(|| {
            let message = "this call has no conversation: name the feature `conversation`";
            AbiError::new(codes::UNSUPPORTED, message)
        })?;
        drop(calls);
        answers.answer(question)
    }

    pub(crate) fn add_listener(&self, listener: ChangeListener) -> u64 {
        let token = self.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.listeners).insert(token, Arc::new(Mutex::new(Some(listener))));
        token
    }

    /// Removes a listener. After this returns, the listener is not called.
    pub(crate) fn remove_listener(&self, token: u64) {
        let entry = lock(&self.listeners).remove(&token);
        if let Some(entry) = entry {
            *lock(&entry) = None;
        }
    }

    pub(crate) fn notify(&self, token: u64, change: SourceChange) {
        let entry = lock(&self.listeners).get(&token).cloned();
        if let Some(entry) = entry
            && let Some(listener) = &*lock(&entry)
        {
            listener(change);
        }
    }
}

/// Truncates a text to the maximum length of a line.
fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_LINE_BYTES)).unwrap_or(text)
}

/// Returns a plugin's text as one log line.
fn line(text: RStr<'_>) -> Cow<'_, str> {
    text::lossy(text, MAX_LINE_BYTES)
}

/// A flag that is set when an instance has ended. Its later messages are dropped.
#[derive(Debug, Default)]
pub(crate) struct EndedFlag(AtomicBool);

impl EndedFlag {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Release);
    }
}

#[derive(Clone)]
struct HostObject {
    side: Arc<HostSide>,
    ended: Arc<EndedFlag>,
}

impl HostObject {
    /// Runs `work`, unless the instance has ended.
    fn unless_ended(&self, work: impl FnOnce(&HostSide)) {
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
        self.unless_ended(|side| side.log_line(level, &line(target), &line(message)));
    }

    fn emit(&self, name: RStr<'_>, data: RStr<'_>) {
        self.unless_ended(|side| {
            // Truncated JSON is invalid, so a too long object is dropped.
            let data = text::checked(data).ok().filter(|data| data.len() <= MAX_LINE_BYTES);
            side.log.event(&side.plugin, &line(name), data.unwrap_or("{}"));
        });
    }

    fn is_cancelled(&self, token: u64) -> u32 {
        contain(1, || {
            let calls = lock(&self.side.calls);
            u32::from(calls.get(&token).is_none_or(|call| call.cancel.is_cancelled()))
        })
    }

    fn changed(&self, token: u64, change: Change<'_>) {
        self.unless_ended(|side| side.notify(token, convert::change(&change)));
    }

    fn now_ms(&self) -> u64 {
        contain(0, || self.side.clock.now().0)
    }

    fn elapsed_ns(&self) -> u64 {
        contain(0, || u64::try_from(self.side.clock.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }

    fn ask(&self, token: u64, question: RStr<'_>) -> RResult<Blob, AbiError> {
        let failed = || AbiError::new(codes::INTERNAL, "the host failed to answer");
        let answer = contain(Err(failed()), || self.side.ask(token, question));
        answer.map(Blob::of).into()
    }
}
