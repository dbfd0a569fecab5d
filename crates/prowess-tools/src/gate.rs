//! The gate: the permission check between the check of the arguments and the run.

use prowess_core::{
    ApprovalId, AuditedDecision, Code, Digest, Record, SkillError, ToolContext, ToolResult, Verdict,
};
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
    /// Decides whether the call may run.
    fn check(&self, request: &GateRequest<'_>) -> GateAnswer;
}

/// The answer of a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateAnswer {
    /// The decision, for the host and the audit.
    pub decision: AuditedDecision,
    /// The refusal that the model reads; `None` if the call may run.
    pub refusal: Option<Refusal>,
    /// The pending approval, if the call may run once a person has approved it. A host shows it to
    /// a person. It is no part of the result, and no tool takes one.
    pub approval: Option<ApprovalId>,
    /// The digest of the package that the call may run something of, if an approval is bound to it.
    pub package: Option<Digest>,
}

impl GateAnswer {
    /// Permits the call, without a rule.
    pub fn allow() -> Self {
        let decision = AuditedDecision::new(Verdict::Allowed);
        Self { decision, refusal: None, approval: None, package: None }
    }

    /// Refuses the call, without a rule.
    pub fn deny(refusal: Refusal) -> Self {
        let decision = AuditedDecision::new(Verdict::Denied);
        Self { decision, refusal: Some(refusal), approval: None, package: None }
    }

    /// Refuses the call until a person approves it.
    pub fn ask(refusal: Refusal, approval: ApprovalId) -> Self {
        let decision = AuditedDecision::new(Verdict::Asked);
        Self { decision, refusal: Some(refusal), approval: Some(approval), package: None }
    }
}

/// The input of a gate.
#[derive(Clone, Copy)]
pub struct GateRequest<'a> {
    /// The turn's catalog, the session and the host's clock.
    pub context: &'a ToolContext<'a>,
    /// The tool's canonical name.
    pub tool: &'a str,
    /// The tool's name as the model sees it.
    pub spelled: &'a str,
    /// The other names of the tool: the name as the model sees it and, spelled in both ways, older
    /// names. A rule about one of them is a rule about the tool.
    pub aliases: &'a [&'a str],
    /// The arguments, which match the tool's schema.
    pub arguments: &'a Value,
    /// The skill whose content the call would run.
    pub subject: Option<Record<'a>>,
}

/// The reason why a call may not run, or why its operation failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The code, for programs.
    pub code: Code,
    /// The message with the next step, for the model.
    pub message: String,
    /// The error for hosts that branch on one type.
    pub error: Option<Box<SkillError>>,
}

impl Refusal {
    /// Creates a refusal.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), error: None }
    }

    /// Replaces the message.
    pub(crate) fn with_message(self, message: impl Into<String>) -> Self {
        Self { message: message.into(), ..self }
    }

    /// Sets the error for hosts that branch on one type.
    #[must_use]
    pub fn with_error(self, error: SkillError) -> Self {
        Self { error: Some(Box::new(error)), ..self }
    }
}

impl From<Refusal> for ToolResult {
    fn from(refusal: Refusal) -> Self {
        let result = Self::error(refusal.code, clipped(&refusal.message, MAX_MESSAGE_CHARS));
        Self { error: refusal.error, ..result }
    }
}

/// Permits every call. The default.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllowAll;

impl Gate for AllowAll {
    fn check(&self, _request: &GateRequest<'_>) -> GateAnswer {
        GateAnswer::allow()
    }
}
