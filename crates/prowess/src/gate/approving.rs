//! Asking a person, and using an approval.

use std::sync::Arc;

use prowess_core::{
    ApprovalId, ApprovalRequest, ApprovalState, ApprovalStore as _, ApprovalStoreError,
    ApprovalStoreExt as _, Asked, NewApproval, Spend, Timestamp,
};
use prowess_session::{AuditedApprovals, random_id, random_operation};
use serde::{Deserialize, Serialize};

use super::{GatedCall, RuntimeGate};

/// The maximum length of the arguments that a person is shown, in bytes.
const MAX_PREVIEW_BYTES: usize = 4096;

/// The policy of approvals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApprovalPolicy {
    /// The number of seconds for which a person is asked about a call. By default an hour.
    pub pending_seconds: u64,
    /// The number of seconds for which approvals are kept after they were spent or revoked, or have
    /// expired. By default a week.
    pub keep_seconds: u64,
}

impl Default for ApprovalPolicy {
    fn default() -> Self {
        Self { pending_seconds: 60 * 60, keep_seconds: 7 * 24 * 60 * 60 }
    }
}

/// The state of a request after a call.
pub(super) enum Request {
    /// A person has to decide.
    Pending(ApprovalId),
    /// A person has refused the call.
    Denied,
    /// No person is asked, for this reason.
    NotAsked(&'static str),
}

impl RuntimeGate {
    /// Asks a person to approve a call.
    pub(super) fn ask(
        &self,
        call: &GatedCall<'_>,
        request: ApprovalRequest,
    ) -> Result<Request, ApprovalStoreError> {
        let now = self.clock.now();
        let lifetime = self.approval.pending_seconds.saturating_mul(1000);
        self.cleanup.run(&self.approvals, now, self.approval.keep_seconds)?;
        let asked = self.audited_for(call).ask(NewApproval {
            id: ApprovalId::new(random_id().map_err(no_randomness)?),
            request,
            session: call.state.id.clone(),
            preview: preview(call),
            now,
            expires: Timestamp(now.0.saturating_add(lifetime)),
        })?;
        Ok(match asked {
            Asked::Entry(entry) => match entry.state {
                ApprovalState::Denied { .. } => Request::Denied,
                _ => Request::Pending(entry.id),
            },
            Asked::TooMany => Request::NotAsked("too many calls of this session wait for a person"),
            Asked::TooLarge => Request::NotAsked("its arguments are too large to be shown"),
        })
    }

    /// Uses an approval for one call; returns whether the call may run by it.
    pub(super) fn spend(
        &self,
        call: &GatedCall<'_>,
        approval: &ApprovalId,
    ) -> Result<bool, ApprovalStoreError> {
        let operation = random_operation().map_err(no_randomness)?;
        let spend = self.audited_for(call).spend(approval, &self.query(call), operation)?;
        Ok(spend == Spend::Allowed)
    }

    /// Returns the approvals, whose changes the audit attributes to a call.
    fn audited_for(&self, call: &GatedCall<'_>) -> AuditedApprovals {
        self.approvals.for_call(Arc::clone(call.origin), call.origin.call(call.state))
    }
}

fn no_randomness(error: impl std::fmt::Display) -> ApprovalStoreError {
    ApprovalStoreError(format!("the system has no random bytes: {error}"))
}

/// Returns the arguments as a person reads them.
fn preview(call: &GatedCall<'_>) -> String {
    let mut text = call.arguments.to_string();
    text.truncate(text.floor_char_boundary(MAX_PREVIEW_BYTES));
    text
}
