//! The host interface for plugins.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use abi_stable::std_types::RResult;
use prowess_core::{Cancel, Clock, Timestamp};
use prowess_plugin_abi::text::lossy;
use prowess_plugin_abi::{AbiError, Blob, CallCtx, Change, HostBox, levels};

/// The maximum length of a string in an error of the host.
const MAX_TEXT_BYTES: usize = 8 << 10;

/// The host. Clones refer to the same host. Every method may be called from any thread.
#[derive(Clone)]
pub struct Host {
    object: HostBox,
    features: Arc<BTreeSet<String>>,
}

/// The level of a log message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Something failed.
    Error,
    /// Something is unexpected, but does not fail.
    Warn,
    /// Progress.
    Info,
    /// Details for debugging.
    Debug,
}

impl Host {
    pub(crate) fn new(object: HostBox, features: impl IntoIterator<Item = String>) -> Self {
        Self { object, features: Arc::new(features.into_iter().collect()) }
    }

    /// Writes a line to the host's log. `target` names the part of the plugin that logs it.
    pub fn log(&self, level: Level, target: &str, message: &str) {
        let level = match level {
            Level::Error => levels::ERROR,
            Level::Warn => levels::WARN,
            Level::Info => levels::INFO,
            Level::Debug => levels::DEBUG,
        };
        self.object.log(level, target.into(), message.into());
    }

    /// Reports an event to the host's audit.
    pub fn emit(&self, name: &str, data: &serde_json::Value) {
        self.object.emit(name.into(), data.to_string().as_str().into());
    }

    /// Returns whether the host supports a feature beyond the version of the ABI.
    pub fn has_feature(&self, name: &str) -> bool {
        self.features.contains(name)
    }

    /// Returns a `Cancel` that asks the host at each check whether the call was cancelled.
    pub(crate) fn cancel_of(&self, ctx: &CallCtx<'_>) -> Cancel {
        let token = ctx.cancel_token;
        if token == 0 {
            return Cancel::default();
        }
        let object = self.object.clone();
        Cancel::with_poll(move || object.is_cancelled(token) != 0)
    }

    /// Sends a question about the conversation of a running call, and waits for the answer.
    pub(crate) fn ask(&self, call: u64, question: &str) -> Result<Blob, AbiError> {
        match self.object.ask(call, question.into()) {
            RResult::ROk(answer) => Ok(answer),
            RResult::RErr(error) => Err(AbiError {
                flags: error.flags,
                ext: (&*lossy(error.ext.as_rstr(), MAX_TEXT_BYTES)).into(),
                ..AbiError::new(error.code, &*lossy(error.message.as_rstr(), MAX_TEXT_BYTES))
            }),
        }
    }

    pub(crate) fn changed(&self, watch_token: u64, change: Change<'_>) {
        self.object.changed(watch_token, change);
    }
}

/// The host's clock.
impl Clock for Host {
    fn now(&self) -> Timestamp {
        Timestamp(self.object.now_ms())
    }

    fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.object.elapsed_ns())
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Host").field("features", &self.features).finish_non_exhaustive()
    }
}
