//! Decisions and their grounds.

use prowess_core::{ApprovalId, ApprovalRequest, Code, Diagnostic, SkillError};
use serde::Serialize;

use crate::FileReference;

/// Whether a call may run, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "decision", rename_all = "lowercase")]
pub enum Decision {
    /// The call may run. If [`Grounds::approval`] names an approval for a single use, the host
    /// spends it before the call runs.
    Allow {
        /// The reason.
        grounds: Grounds,
    },
    /// A person has to approve the call first.
    Ask {
        /// The approval that is needed: for exactly these arguments. The host may offer the person
        /// a wider [`ArgumentPattern`](prowess_core::ArgumentPattern).
        request: Box<ApprovalRequest>,
        /// The reason.
        grounds: Grounds,
    },
    /// The call may not run.
    Deny {
        /// The result of the call.
        refusal: Refusal,
        /// The reason.
        grounds: Grounds,
    },
}

impl Decision {
    /// Returns whether the call may run.
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::Allow { .. })
    }

    /// Returns whether a person has to approve the call first.
    pub fn is_ask(&self) -> bool {
        matches!(self, Self::Ask { .. })
    }

    /// Returns whether the call may not run.
    pub fn is_denied(&self) -> bool {
        matches!(self, Self::Deny { .. })
    }

    /// Returns the reason.
    pub fn grounds(&self) -> &Grounds {
        match self {
            Self::Allow { grounds } | Self::Ask { grounds, .. } | Self::Deny { grounds, .. } => {
                grounds
            }
        }
    }
}

/// The grounds of a decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Grounds {
    /// The tool's canonical name.
    pub tool: String,
    /// The kind of the reason.
    pub reason: Reason,
    /// The rules that decided.
    pub rules: Vec<RuleReference>,
    /// The reason why rules that name the tool do not cover these arguments, or why skills that
    /// list it may not grant it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The approval that was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalId>,
    /// The files that the paths of the call lead to, where rules about paths were compared. A host
    /// that opens these, not the paths, opens what was decided on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileReference>,
    /// Rules about this tool that grant nothing, because they cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Diagnostic>,
}

/// The kinds of reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// The call manages the skills of the session.
    SkillOperation,
    /// No active skill limits its tools.
    Unrestricted,
    /// The `allowed-tools` of the active skills cover the call.
    Listed,
    /// The operator grants the call.
    OperatorGrant,
    /// A person approved the call.
    Approved,
    /// The policy takes `allowed-tools` as advice, and it covers the call.
    AdvisedFor,
    /// The policy takes `allowed-tools` as advice, and it does not cover the call.
    AdvisedAgainst,
    /// The `allowed-tools` cover the call, and a skill of a layer that may not grant is active.
    MayNotGrant,
    /// The call runs something that a skill brings along, and needs the consent of a person.
    Consent,
    /// Nothing grants the call, and the policy decides.
    Ungranted,
    /// The `allowed-tools` of an active skill do not name the tool.
    NotListed,
    /// The `allowed-tools` of an active skill name the tool and do not cover these arguments.
    ArgumentsNotCovered,
    /// The operator denies the call.
    DeniedByOperator,
    /// The call is not one of those that the operator makes possible.
    OutsideCeiling,
    /// The call would read a script of a skill, which is there to be run. A host decides this, and
    /// not [`decide`](crate::decide).
    ScriptRead,
    /// The tool itself refuses the call. A host finds this out.
    Refused,
}

/// A rule, and where it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleReference {
    /// The rule as it was written, or the whole list.
    pub rule: String,
    /// Its origin.
    #[serde(flatten)]
    pub origin: RuleOrigin,
}

/// The origin of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "origin", rename_all = "snake_case")]
pub enum RuleOrigin {
    /// The `allowed-tools` of a skill.
    Skill {
        /// The skill's id.
        skill: String,
        /// Its `SKILL.md`.
        location: String,
        /// Line in the file, counted from 1, if it is known.
        line: Option<u32>,
        /// Column in that line, counted in characters from 1, if it is known.
        column: Option<u32>,
    },
    /// The operator's policy.
    Operator {
        /// The field of [`GatePolicy`](crate::GatePolicy).
        setting: &'static str,
    },
}

/// The result of a call that may not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The code of the tool's result.
    pub code: Code,
    /// The error for hosts that branch on one type, with the rules that the refusing skill has.
    pub error: SkillError,
}

impl Refusal {
    /// Returns the message with the next step, for the model.
    pub fn message(&self) -> String {
        self.error.message()
    }
}
