//! The messages between the kit and the process of a check.

use prowess_plugin_host::PluginLimits;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::report::CheckOutcome;

/// The request to a check's process. The library comes before it, as an open file.
#[derive(Serialize, Deserialize)]
pub(super) struct Ask {
    pub(super) rule: String,
    pub(super) file: String,
    pub(super) config: Option<Value>,
    pub(super) limits: PluginLimits,
}

/// The messages of a check's process.
#[derive(Serialize, Deserialize)]
pub(super) enum Say {
    /// Its next step, in case it is the last message.
    Step(String),
    /// The outcome.
    Done(CheckOutcome),
}

/// Functions of the caller: the kit reads neither skills nor schemas itself. Each returns the
/// fault.
#[derive(Clone, Copy, Debug)]
pub struct CheckJudges {
    /// Whether these are the bytes of a `SKILL.md` that a host can use.
    pub skill: fn(&[u8]) -> Result<(), String>,
    /// Whether this is a JSON Schema.
    pub schema: fn(&Value) -> Result<(), String>,
}
