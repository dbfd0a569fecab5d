//! The events of one tool call: its intent and its outcome.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{CallOrigin, CorrelationId};
use crate::{ApprovalId, Caller, Code, SessionId, Timestamp};

/// The outcome of a tool call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "outcome", content = "code")]
pub enum Outcome {
    /// The call ran and returned a result.
    Done,
    /// The call was refused, for this reason.
    Refused(Code),
    /// The call ran and failed, for this reason.
    Failed(Code),
}

/// A reference to a skill in a call, and the skill that it resolved to in the catalog of the turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AuditedSkill {
    /// The reference as it was written.
    pub typed: String,
    /// The id of the skill; `None` if the caller may load no skill by that reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The skill's layer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// The author's version of the skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// The answer of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The call may run.
    Allowed,
    /// A person has to approve the call first.
    Asked,
    /// The call may not run.
    Denied,
}

/// The decision of the gate about a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditedDecision {
    /// The answer.
    pub verdict: Verdict,
    /// The rule that decided, as it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The id of the skill that the rule is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// The location of the rule, such as `SKILL.md:4:16`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The approval that lets the call run, or that the call waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalId>,
}

impl AuditedDecision {
    /// Creates a decision without a rule.
    pub fn new(verdict: Verdict) -> Self {
        Self { verdict, rule: None, skill: None, location: None, approval: None }
    }
}

/// A tool call before it runs. Arguments are left out because they may contain secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallIntent {
    /// The time of the call.
    pub at: Timestamp,
    /// The number of the call in its toolbox, from 1. Together with `session` and `at`, it ties an
    /// intent to its outcome.
    pub call: u64,
    /// The session that made the call.
    pub session: SessionId,
    /// The agent, task, tenant and model.
    pub origin: Arc<CallOrigin>,
    /// The id of the run of `skill`, or of the session if no skill is loaded.
    pub correlation: CorrelationId,
    /// The tool's canonical name, or the unknown name that the model wrote.
    pub tool: String,
    /// The caller.
    #[serde(default)]
    pub caller: Caller,
    /// The id of the loaded skill in whose run the call is made: the one loaded last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// The skills that the call named.
    pub skills: Vec<AuditedSkill>,
    /// The file of a package that the call named, as it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// The gate's decision; `None` if the call was refused before the gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<AuditedDecision>,
    /// The generation of the turn's catalog.
    pub generation: u64,
}

/// A tool call after it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEvent {
    /// The call.
    #[serde(flatten)]
    pub intent: CallIntent,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The gate's message if it denied the call, the exit code of a script that failed, or the
    /// codes and files of the reads that were refused within it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The id of the sandbox, if the call ran a command in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    /// The isolation level, if the call ran a script in a process: `unconfined` is that of a host
    /// that has turned the sandbox off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<String>,
    /// The duration of the call, by the host's clock.
    pub duration: Duration,
}
