//! One entry of an approval store, and how it changes: pure functions, which every store shares.

use serde::{Deserialize, Serialize};

use crate::{
    Approval, ApprovalId, ApprovalRequest, ApprovalScope, AuditPolicy, OperationId, SessionId,
    Timestamp,
};

/// A request for an approval, and the decision on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ApprovalEntry {
    /// Its id.
    pub id: ApprovalId,
    /// The call to approve.
    pub request: ApprovalRequest,
    /// The session in which the call was made.
    pub session: SessionId,
    /// The arguments of the call as text, for the person. They are not compared with anything.
    pub preview: String,
    /// The time of the request.
    pub asked: Timestamp,
    /// The time from which on the entry has no effect; `None` if it does not expire.
    pub expires: Option<Timestamp>,
    /// The log in which the host that made the request records it; `None` if it keeps none. A
    /// program in which a person decides records the decision in the same log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<ApprovalLog>,
    /// Grows by one with each change; a store compares it before it overwrites.
    pub version: u64,
    /// The decision, and its use.
    pub state: ApprovalState,
}

/// The log of the host that asks for an approval.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ApprovalLog {
    /// The location of the log, as [`AuditSink::location`](crate::AuditSink::location) has it.
    pub location: String,
    /// Whether a decision may be made that cannot be recorded.
    pub policy: AuditPolicy,
}

/// The state of an [`ApprovalEntry`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[non_exhaustive]
pub enum ApprovalState {
    /// No decision yet.
    Pending,
    /// A person allows the call.
    Granted {
        /// How often it may be made.
        scope: ApprovalScope,
        /// The person, as the host names people.
        by: String,
        /// The time of the decision.
        at: Timestamp,
    },
    /// A person refuses the call. Until the entry expires, the same request is not shown again.
    Denied {
        /// The person, as the host names people.
        by: String,
        /// The time of the decision.
        at: Timestamp,
    },
    /// A person withdrew the approval. The same request is shown again.
    Revoked {
        /// The person, as the host names people.
        by: String,
        /// The time of the decision.
        at: Timestamp,
    },
    /// An operation used the approval, which was for one call.
    Spent {
        /// The operation.
        operation: OperationId,
        /// The time of its use.
        at: Timestamp,
        /// The person of the grant; `None` in an entry of an older version.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
}

impl ApprovalState {
    /// Returns the state as one word: `pending`, `granted`, `denied`, `revoked` or `spent`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Granted { .. } => "granted",
            Self::Denied { .. } => "denied",
            Self::Revoked { .. } => "revoked",
            Self::Spent { .. } => "spent",
        }
    }

    /// Returns the person of the last decision, as the host names people.
    pub fn by(&self) -> Option<&str> {
        match self {
            Self::Pending => None,
            Self::Granted { by, .. } | Self::Denied { by, .. } | Self::Revoked { by, .. } => {
                Some(by)
            }
            Self::Spent { by, .. } => by.as_deref(),
        }
    }
}

/// A decision of a person on a request. Only the host makes one: no tool has it as an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalDecision {
    /// The decision.
    pub verdict: ApprovalVerdict,
    /// The person, as the host names people.
    pub by: String,
    /// The time of the decision.
    pub at: Timestamp,
}

/// The content of an [`ApprovalDecision`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalVerdict {
    /// Allows the call.
    Grant {
        /// How often it may be made.
        scope: ApprovalScope,
        /// The time from which on the approval no longer counts; `None` if it does not expire.
        expires: Option<Timestamp>,
    },
    /// Refuses the call.
    Deny,
    /// Withdraws a granted approval.
    Revoke,
}

/// The reason why a decision is not possible. The entry is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecisionError {
    /// The entry has another state than the decision needs.
    #[error("approval `{id}` is {state}{}", with_person(state, by.as_deref()))]
    State {
        /// The entry's id.
        id: ApprovalId,
        /// Its state, as one word.
        state: &'static str,
        /// The person of that decision, as the host names people.
        by: Option<String>,
    },
    /// The request has expired, or the approval would have expired before it was granted.
    #[error("approval `{0}` has expired")]
    Expired(ApprovalId),
    /// The digest of the skill's package is unknown, so only one call can be approved: a longer
    /// approval would also apply to a changed package.
    #[error("the package of approval `{0}` has no digest, so only one call can be approved")]
    Unbound(ApprovalId),
}

fn with_person(state: &str, by: Option<&str>) -> String {
    // A call spends what a person has granted.
    let word = if state == "spent" { ", granted by" } else { " by" };
    by.map_or_else(String::new, |by| format!("{word} {by}"))
}

/// The caller that looks for an approval or uses one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApprovalQuery<'a> {
    /// The tool's canonical name.
    pub tool: &'a str,
    /// The tenant of the caller.
    pub tenant: Option<&'a str>,
    /// The session of the caller.
    pub session: &'a SessionId,
    /// The current time.
    pub now: Timestamp,
}

/// Whether a call may use an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spend {
    /// The call may run. It spends an approval for one call.
    Allowed,
    /// Another call has spent the approval.
    SpentByAnother,
    /// The approval does not apply: it is not granted, has expired, was revoked, or belongs to
    /// another caller.
    NotApplicable,
}

/// The result of [`ApprovalEntry::spend`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpendStep {
    /// The answer; nothing is to be stored.
    Answer(Spend),
    /// The call may run if this entry replaces the one that the step was computed from.
    Store(Box<ApprovalEntry>),
}

impl ApprovalEntry {
    /// Returns whether the entry has expired.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires.is_some_and(|expires| now >= expires)
    }

    /// Returns whether the same request in the same session leads to this entry instead of a new
    /// one.
    pub fn is_open(&self, now: Timestamp) -> bool {
        let is_open = matches!(
            self.state,
            ApprovalState::Pending | ApprovalState::Granted { .. } | ApprovalState::Denied { .. }
        );
        is_open && !self.is_expired(now)
    }

    /// Returns whether a store may remove the entry: it has had no effect since `before`.
    pub fn is_finished(&self, before: Timestamp) -> bool {
        match &self.state {
            ApprovalState::Revoked { at, .. } | ApprovalState::Spent { at, .. } => *at < before,
            _ => self.expires.is_some_and(|expires| expires < before),
        }
    }

    /// Returns the approval if it applies to this caller now.
    pub fn approval_for(&self, query: &ApprovalQuery<'_>) -> Option<Approval> {
        let ApprovalState::Granted { scope, at, .. } = self.state else { return None };
        let is_shared = scope == ApprovalScope::Always;
        let applies = self.request.tool == query.tool
            && self.request.tenant.as_deref() == query.tenant
            && (is_shared || self.session == *query.session)
            && !self.is_expired(query.now);
        applies.then(|| Approval {
            id: self.id.clone(),
            request: self.request.clone(),
            scope,
            session: (!is_shared).then(|| self.session.clone()),
            granted: at,
            expires: self.expires,
        })
    }

    /// Computes the use of the approval by one operation.
    ///
    /// An operation that repeats its own use is allowed again: the first answer was lost.
    pub fn spend(&self, query: &ApprovalQuery<'_>, operation: OperationId) -> SpendStep {
        if let ApprovalState::Spent { operation: spender, .. } = &self.state {
            let is_own = *spender == operation;
            return SpendStep::Answer(if is_own { Spend::Allowed } else { Spend::SpentByAnother });
        }
        let Some(approval) = self.approval_for(query) else {
            return SpendStep::Answer(Spend::NotApplicable);
        };
        if approval.scope != ApprovalScope::Once {
            return SpendStep::Answer(Spend::Allowed);
        }
        let by = self.state.by().map(str::to_owned);
        let state = ApprovalState::Spent { operation, at: query.now, by };
        SpendStep::Store(Box::new(self.next(state, self.expires)))
    }

    /// Computes the entry after a decision.
    ///
    /// A denied request can be granted later. A spent or revoked approval cannot.
    ///
    /// # Errors
    ///
    /// Returns an error if the decision is not possible.
    pub fn decide(&self, decision: &ApprovalDecision) -> Result<Self, DecisionError> {
        let ApprovalDecision { verdict, by, at } = decision.clone();
        let is_possible = match verdict {
            ApprovalVerdict::Grant { .. } => {
                matches!(self.state, ApprovalState::Pending | ApprovalState::Denied { .. })
            }
            ApprovalVerdict::Deny => self.state == ApprovalState::Pending,
            ApprovalVerdict::Revoke => matches!(self.state, ApprovalState::Granted { .. }),
        };
        if !is_possible {
            return Err(self.is_decided());
        }
        if self.is_expired(at) {
            return Err(DecisionError::Expired(self.id.clone()));
        }
        match verdict {
            ApprovalVerdict::Grant { scope, expires } => self.granted(scope, expires, by, at),
            ApprovalVerdict::Deny => Ok(self.next(ApprovalState::Denied { by, at }, self.expires)),
            ApprovalVerdict::Revoke => {
                Ok(self.next(ApprovalState::Revoked { by, at }, self.expires))
            }
        }
    }

    fn granted(
        &self,
        scope: ApprovalScope,
        expires: Option<Timestamp>,
        by: String,
        at: Timestamp,
    ) -> Result<Self, DecisionError> {
        let is_unbound = self.request.skill.is_some() && self.request.package.is_none();
        if is_unbound && scope != ApprovalScope::Once {
            return Err(DecisionError::Unbound(self.id.clone()));
        }
        if expires.is_some_and(|expires| at >= expires) {
            return Err(DecisionError::Expired(self.id.clone()));
        }
        Ok(self.next(ApprovalState::Granted { scope, by, at }, expires))
    }

    /// Returns the error of a decision that the entry's state does not allow.
    pub(crate) fn is_decided(&self) -> DecisionError {
        let (state, by) = (self.state.word(), self.state.by().map(str::to_owned));
        DecisionError::State { id: self.id.clone(), state, by }
    }

    fn next(&self, state: ApprovalState, expires: Option<Timestamp>) -> Self {
        Self { version: self.version + 1, state, expires, ..self.clone() }
    }
}
