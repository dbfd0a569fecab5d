//! The gate: the permission check between the check of the arguments and the run.

use prowess_core::{Code, ToolContext, ToolResult};
use prowess_text::clipped;
use serde_json::Value;

/// The maximum length of a message to a model.
pub(crate) const MAX_MESSAGE_CHARS: usize = 4000;

/// Decides whether a call may run.
///
/// # Behavior
///
/// - `check` is called once for each call with valid arguments, whatever its tool and provider.
/// - A refused call is not run; a gate that panics refuses the call.
/// - It may be called from any thread at any time.
pub trait Gate: Send + Sync {
    /// Permits the call, or returns a refusal.
    ///
    /// # Errors
    ///
    /// The refusal that the model reads.
    fn check(&self, request: &GateRequest<'_>) -> Result<(), Refusal>;
}

/// The input of a gate.
#[derive(Clone, Copy)]
pub struct GateRequest<'a> {
    /// The turn's catalog, the session and the host's clock.
    pub context: &'a ToolContext<'a>,
    /// The tool's canonical name.
    pub tool: &'a str,
    /// The arguments, which match the tool's schema.
    pub arguments: &'a Value,
}

/// The reason why a call may not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The code, for programs.
    pub code: Code,
    /// The message with the next step, for the model.
    pub message: String,
}

impl Refusal {
    /// Creates a refusal.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl From<Refusal> for ToolResult {
    fn from(refusal: Refusal) -> Self {
        Self::error(refusal.code, clipped(&refusal.message, MAX_MESSAGE_CHARS))
    }
}

/// Permits every call. The default.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllowAll;

impl Gate for AllowAll {
    fn check(&self, _request: &GateRequest<'_>) -> Result<(), Refusal> {
        Ok(())
    }
}
