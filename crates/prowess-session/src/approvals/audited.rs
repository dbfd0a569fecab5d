//! The audit of an approval store.

use std::num::NonZeroUsize;
use std::sync::Arc;

use prowess_core::{
    Approval, ApprovalAction, ApprovalEntry, ApprovalEvent, ApprovalId, ApprovalLog, ApprovalQuery,
    ApprovalScope, ApprovalState, ApprovalStore, ApprovalStoreError, Asked, AuditError,
    AuditPolicy, AuditSink, CallOrigin, CorrelationId, NewApproval, RuntimeEvent, Timestamp,
};
use tracing::warn;

/// An approval store that reports each change of an approval to the audit, once among all hosts.
///
/// The use of an approval for several calls changes nothing in the store, so it is not reported
/// here: the audited decision on such a call names the approval.
#[derive(Clone)]
pub struct AuditedApprovals {
    store: Arc<dyn ApprovalStore>,
    audit: Arc<dyn AuditSink>,
    policy: AuditPolicy,
    call: Option<Call>,
}

/// The call that makes the changes.
#[derive(Clone)]
struct Call {
    origin: Arc<CallOrigin>,
    correlation: CorrelationId,
}

impl AuditedApprovals {
    /// Creates the audit of `store`. Under [`AuditPolicy::Required`], no decision of a person is
    /// stored that is not in the log before.
    pub fn new(
        store: Arc<dyn ApprovalStore>,
        audit: Arc<dyn AuditSink>,
        policy: AuditPolicy,
    ) -> Self {
        Self { store, audit, policy, call: None }
    }

    /// Returns the same store for one call, which the events name.
    #[must_use]
    pub fn for_call(&self, origin: Arc<CallOrigin>, correlation: CorrelationId) -> Self {
        Self { call: Some(Call { origin, correlation }), ..self.clone() }
    }

    fn report(&self, entry: ApprovalEntry, change: Change) {
        self.audit.report(&self.event(entry, change));
    }

    fn event(&self, entry: ApprovalEntry, change: Change) -> RuntimeEvent {
        let Change { action, at, scope, by } = change;
        let (origin, correlation) = match self.call.clone() {
            Some(Call { origin, correlation }) => (origin, Some(correlation)),
            None => (of_tenant(&entry), None),
        };
        let ApprovalEntry { id, request, session, .. } = entry;
        RuntimeEvent::Approval(ApprovalEvent {
            at,
            action,
            id,
            request,
            scope,
            by,
            session,
            origin,
            correlation,
        })
    }

    /// Stores an entry after its change is in the log.
    fn replace_recorded(
        &self,
        entry: ApprovalEntry,
        expected: u64,
        change: Change,
    ) -> Result<bool, ApprovalStoreError> {
        let at = change.at;
        self.audit
            .store(&self.event(entry.clone(), change))
            .map_err(|error| not_recorded(&error))?;
        let stored = self.store.replace(entry.clone(), expected);
        if !matches!(stored, Ok(true)) {
            self.report(entry, Change::new(ApprovalAction::NotMade, at));
        }
        stored
    }
}

impl ApprovalStore for AuditedApprovals {
    fn ask(&self, mut new: NewApproval) -> Result<Asked, ApprovalStoreError> {
        let log = |location| ApprovalLog { location, policy: self.policy };
        new.log = new.log.or_else(|| self.audit.location().map(log));
        let id = new.id.clone();
        let at = new.now;
        let asked = self.store.ask(new)?;
        if let Asked::Entry(entry) = &asked
            && entry.id == id
        {
            self.report((**entry).clone(), Change::new(ApprovalAction::Asked, at));
        }
        Ok(asked)
    }

    fn load(&self, id: &ApprovalId) -> Result<Option<ApprovalEntry>, ApprovalStoreError> {
        self.store.load(id)
    }

    fn replace(&self, entry: ApprovalEntry, expected: u64) -> Result<bool, ApprovalStoreError> {
        let Some(change) = Change::to(&entry.state) else {
            return self.store.replace(entry, expected);
        };
        let is_decision = change.action != ApprovalAction::Spent;
        if is_decision && self.policy == AuditPolicy::Required {
            return self.replace_recorded(entry, expected, change);
        }
        let is_stored = self.store.replace(entry.clone(), expected)?;
        match is_stored {
            true if is_decision => {
                if let Err(error) = self.audit.store(&self.event(entry, change)) {
                    warn!(target: "prowess", %error, "audit_failed");
                }
            }
            true => self.report(entry, change),
            false => {}
        }
        Ok(is_stored)
    }

    fn find(&self, query: &ApprovalQuery<'_>) -> Result<Vec<Approval>, ApprovalStoreError> {
        self.store.find(query)
    }

    fn list(
        &self,
        after: Option<&ApprovalId>,
        limit: NonZeroUsize,
    ) -> Result<Vec<ApprovalEntry>, ApprovalStoreError> {
        self.store.list(after, limit)
    }

    fn remove_finished(&self, before: Timestamp) -> Result<Vec<ApprovalEntry>, ApprovalStoreError> {
        let removed = self.store.remove_finished(before)?;
        for entry in &removed {
            if let Some(change) = Change::by_time(entry) {
                self.report(entry.clone(), change);
            }
        }
        Ok(removed)
    }
}

fn not_recorded(error: &AuditError) -> ApprovalStoreError {
    ApprovalStoreError(format!("the decision is not made, because it cannot be recorded: {error}"))
}

/// What has happened to an approval, and when.
struct Change {
    action: ApprovalAction,
    at: Timestamp,
    scope: Option<ApprovalScope>,
    by: Option<String>,
}

impl Change {
    fn new(action: ApprovalAction, at: Timestamp) -> Self {
        Self { action, at, scope: None, by: None }
    }

    /// Returns the change that leads to a state.
    fn to(state: &ApprovalState) -> Option<Self> {
        let (action, scope, at) = match state {
            ApprovalState::Granted { scope, at, .. } => (ApprovalAction::Granted, Some(*scope), at),
            ApprovalState::Denied { at, .. } => (ApprovalAction::Refused, None, at),
            ApprovalState::Revoked { at, .. } => (ApprovalAction::Revoked, None, at),
            ApprovalState::Spent { at, .. } => {
                (ApprovalAction::Spent, Some(ApprovalScope::Once), at)
            }
            _ => return None,
        };
        // The grant of a spent one may be in the log of another program.
        Some(Self { action, at: *at, scope, by: state.by().map(str::to_owned) })
    }

    /// Returns the expiry of a removed entry, if it ended that way.
    fn by_time(entry: &ApprovalEntry) -> Option<Self> {
        let scope = match entry.state {
            ApprovalState::Pending => None,
            ApprovalState::Granted { scope, .. } => Some(scope),
            _ => return None,
        };
        Some(Self { scope, ..Self::new(ApprovalAction::Expired, entry.expires?) })
    }
}

fn of_tenant(entry: &ApprovalEntry) -> Arc<CallOrigin> {
    Arc::new(CallOrigin { tenant: entry.request.tenant.clone(), ..CallOrigin::default() })
}
