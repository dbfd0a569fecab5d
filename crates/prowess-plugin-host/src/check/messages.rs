//! The messages between [`check`](super::check()) and the process of a check.

use crate::PluginLimits;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::report::CheckOutcome;

/// The request to the process of a check. The library is passed as a file descriptor.
#[derive(Serialize, Deserialize)]
pub(super) struct Request {
    pub(super) rule: String,
    pub(super) file: String,
    pub(super) config: Option<Value>,
    pub(super) limits: PluginLimits,
}

/// A message of the process of a check.
#[derive(Serialize, Deserialize)]
pub(super) enum Message {
    /// The next step, which is reported if the process crashes or hangs.
    Step(String),
    /// The outcome of the check.
    Done(CheckOutcome),
}

/// Validation functions of the caller, since this crate parses neither skills nor schemas. Each
/// returns the reason if the value is invalid.
#[derive(Clone, Copy, Debug)]
pub struct CheckJudges {
    /// Validates the content of a `SKILL.md`.
    pub skill: fn(&[u8]) -> Result<(), String>,
    /// Validates a JSON Schema. The error is the end of a sentence, as in "is not a JSON Schema".
    pub schema: fn(&Value) -> Result<(), String>,
}
