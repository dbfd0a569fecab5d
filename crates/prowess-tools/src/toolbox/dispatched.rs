//! The outcome of a call.

use std::time::Duration;

use prowess_core::{ApprovalId, AuditedDecision, Code, Content, Outcome, ToolResult};
use serde::{Serialize, Serializer};

use crate::codes;
use crate::gate::Refusal;

/// The result of a call with further facts for the host.
///
/// Serialises as the JSON output of the command line: `{tool, is_error, code, content,
/// duration_ms}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatched {
    /// The tool's canonical name, or the unknown name that the model wrote.
    pub tool: String,
    /// The result, for the model.
    pub result: ToolResult,
    /// How the call ended, as the audit has it.
    pub outcome: Outcome,
    /// The id of the skill that the call named first, or the name as it is written, clipped, if
    /// there is no such skill. Without a name, the skill that a named file is in.
    pub skill: Option<String>,
    /// The file of a package that the call named, as it was written, clipped.
    pub resource: Option<String>,
    /// The duration, by the host's clock.
    pub duration: Duration,
    /// The gate's decision; `None` if the call was refused before the gate.
    pub decision: Option<AuditedDecision>,
    /// The pending approval, if the call may run once a person has approved it.
    pub approval: Option<ApprovalId>,
}

impl Serialize for Dispatched {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shape<'a> {
            tool: &'a str,
            is_error: bool,
            code: Option<&'a Code>,
            content: &'a [Content],
            duration_ms: u128,
        }
        let ToolResult { is_error, code, content, .. } = &self.result;
        Shape {
            tool: &self.tool,
            is_error: *is_error,
            code: code.as_ref(),
            content,
            duration_ms: self.duration.as_millis(),
        }
        .serialize(serializer)
    }
}

/// A result with its outcome for the audit.
pub(crate) struct Answer {
    pub(crate) result: ToolResult,
    pub(crate) outcome: Outcome,
}

impl Answer {
    pub(crate) fn refused(refusal: Refusal) -> Self {
        let outcome = Outcome::Refused(refusal.code.clone());
        Self { result: refusal.into(), outcome }
    }

    pub(crate) fn ran(result: ToolResult) -> Self {
        let is_shell = result.sandbox.is_some();
        let outcome = match &result.code {
            // A result for the model, and not what the call was to do.
            None if result.exit.is_some() => Outcome::Failed(codes::TOOL_FAILED),
            // A command that was not allowed to read a file ran, and went on without it.
            Some(code) if is_shell && *code == codes::SCRIPT_READ_BLOCKED => {
                Outcome::Refused(code.clone())
            }
            _ if !(result.is_error || is_shell && result.code.is_some()) => Outcome::Done,
            Some(code) => Outcome::Failed(code.clone()),
            None => Outcome::Failed(codes::TOOL_FAILED),
        };
        Self { result, outcome }
    }
}
