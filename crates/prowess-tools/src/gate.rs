//! May this call run? The one step between the check of the arguments and the run.

use prowess_core::{Code, ToolContext, ToolResult};
use prowess_text::clipped;
use serde_json::Value;

/// A longer message to a model is cut.
pub(crate) const MAX_MESSAGE_CHARS: usize = 4000;

/// Decides whether a call may run.
///
/// # Behavior
///
/// - `check` is asked once for each call whose arguments fit, whatever tool and provider it is of.
/// - A refused call is not run; a gate that panics refuses.
/// - It may be asked from any thread at any time.
pub trait Gate: Send + Sync {
    /// Lets the call run, or says why not.
    ///
    /// # Errors
    ///
    /// The refusal that the model reads.
    fn check(&self, request: &GateRequest<'_>) -> Result<(), Refusal>;
}

/// What a gate looks at.
#[derive(Clone, Copy)]
pub struct GateRequest<'a> {
    /// The turn's catalog, the conversation and the host's time.
    pub context: &'a ToolContext<'a>,
    /// The tool's name in the core's spelling.
    pub tool: &'a str,
    /// The arguments, which fit the tool's schema.
    pub arguments: &'a Value,
}

/// Why a call may not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What to branch on.
    pub code: Code,
    /// What was refused and the next step, for the model.
    pub message: String,
}

impl Refusal {
    /// A refusal.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl From<Refusal> for ToolResult {
    fn from(refusal: Refusal) -> Self {
        Self::error(refusal.code, clipped(&refusal.message, MAX_MESSAGE_CHARS))
    }
}

/// Lets every call run. The default.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllowAll;

impl Gate for AllowAll {
    fn check(&self, _request: &GateRequest<'_>) -> Result<(), Refusal> {
        Ok(())
    }
}
