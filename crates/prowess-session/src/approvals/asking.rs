//! Asking a person about a call, and using the approval.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use prowess_core::{
    ApprovalId, ApprovalQuery, ApprovalRequest, ApprovalState, ApprovalStore as _,
    ApprovalStoreError, ApprovalStoreExt as _, Asked, CallOrigin, NewApproval, SessionState, Spend,
    Timestamp,
};
use serde_json::Value;

use super::AuditedApprovals;
use crate::identity::{random_id, random_operation};

/// The maximum length of arguments that a person is asked about, in bytes (12 KiB). What
/// cannot be shown is not approved.
const MAX_PREVIEW_BYTES: usize = 12 * 1024;

/// The number of milliseconds between two cleanups by one host.
const CLEANUP_INTERVAL: u64 = 60 * 60 * 1000;

/// The policy of approvals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApprovalPolicy {
    /// The number of seconds for which a person is asked about a call. By default an hour.
    pub pending_seconds: u64,
    /// The number of seconds for which approvals are kept after they were spent or revoked, or have
    /// expired. By default a week; the audit log is the record.
    pub keep_seconds: u64,
}

impl Default for ApprovalPolicy {
    fn default() -> Self {
        Self { pending_seconds: 60 * 60, keep_seconds: 7 * 24 * 60 * 60 }
    }
}

/// The answer to a call that a person has to approve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskAnswer {
    /// A person has to decide.
    Pending(ApprovalId),
    /// A person has refused the call.
    Denied,
    /// No person is asked, for this reason.
    NotAsked(&'static str),
}

/// A call that a person approves.
#[derive(Clone, Copy)]
pub struct ApprovedCall<'a> {
    /// Where the call comes from.
    pub origin: &'a Arc<CallOrigin>,
    /// The session of the call.
    pub state: &'a SessionState,
    /// The arguments, which a person is shown.
    pub arguments: &'a Value,
}

/// Asks people about calls and uses what they approve. Removes finished approvals, at most once an
/// hour.
pub struct CallApprovals {
    approvals: AuditedApprovals,
    policy: ApprovalPolicy,
    /// The time of the next cleanup in milliseconds.
    next_cleanup: AtomicU64,
}

impl CallApprovals {
    /// Creates the approvals of the calls of one host.
    pub fn new(approvals: AuditedApprovals, policy: ApprovalPolicy) -> Self {
        Self { approvals, policy, next_cleanup: AtomicU64::new(0) }
    }

    /// Returns the store.
    pub fn store(&self) -> &AuditedApprovals {
        &self.approvals
    }

    /// Asks a person to approve a call.
    ///
    /// # Errors
    ///
    /// The store fails, or the operating system provides no random bytes.
    pub fn ask(
        &self,
        call: &ApprovedCall<'_>,
        request: ApprovalRequest,
        now: Timestamp,
    ) -> Result<AskAnswer, ApprovalStoreError> {
        // Whole: the approval covers every byte, so a person can see every byte.
        let preview = call.arguments.to_string();
        if preview.len() > MAX_PREVIEW_BYTES {
            return Ok(AskAnswer::NotAsked(TOO_LONG));
        }
        let lifetime = self.policy.pending_seconds.saturating_mul(1000);
        self.remove_finished(now)?;
        let asked = self.audited_for(call).ask(NewApproval {
            id: ApprovalId::new(random_id().map_err(no_randomness)?),
            request,
            session: call.state.id.clone(),
            preview,
            now,
            expires: Timestamp(now.0.saturating_add(lifetime)),
            log: None,
        })?;
        Ok(match asked {
            Asked::Entry(entry) => match entry.state {
                ApprovalState::Denied { .. } => AskAnswer::Denied,
                _ => AskAnswer::Pending(entry.id),
            },
            Asked::TooMany => {
                AskAnswer::NotAsked("too many calls of this session wait for a person")
            }
            Asked::TooLarge => AskAnswer::NotAsked(TOO_LONG),
        })
    }

    /// Uses an approval for one call; returns whether the call may run by it.
    ///
    /// # Errors
    ///
    /// As for [`Self::ask`].
    pub fn spend(
        &self,
        call: &ApprovedCall<'_>,
        approval: &ApprovalId,
        query: &ApprovalQuery<'_>,
    ) -> Result<bool, ApprovalStoreError> {
        let operation = random_operation().map_err(no_randomness)?;
        Ok(self.audited_for(call).spend(approval, query, operation)? == Spend::Allowed)
    }

    fn audited_for(&self, call: &ApprovedCall<'_>) -> AuditedApprovals {
        self.approvals.for_call(Arc::clone(call.origin), call.origin.call(call.state))
    }

    /// Removes the approvals that have had no effect for long, unless it did so within the last
    /// hour. After a failure, the next call tries again.
    fn remove_finished(&self, now: Timestamp) -> Result<(), ApprovalStoreError> {
        if now.0 < self.next_cleanup.load(Ordering::Relaxed) {
            return Ok(());
        }
        let before = now.0.saturating_sub(self.policy.keep_seconds.saturating_mul(1000));
        self.approvals.remove_finished(Timestamp(before))?;
        self.next_cleanup.store(now.0.saturating_add(CLEANUP_INTERVAL), Ordering::Relaxed);
        Ok(())
    }
}

fn no_randomness(error: impl std::fmt::Display) -> ApprovalStoreError {
    ApprovalStoreError(format!("the system has no random bytes: {error}"))
}

const TOO_LONG: &str = "its arguments are too long to be shown to one: over 12 KiB; make it shorter, \
                        or write the long part to a file first";
