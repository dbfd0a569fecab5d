//! An approval store in memory, and the audit of any.

mod asking;
mod audited;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use prowess_core::{
    Approval, ApprovalEntry, ApprovalId, ApprovalQuery, ApprovalStore, ApprovalStoreError, Asked,
    NewApproval, Timestamp,
};

pub use asking::{ApprovalPolicy, ApprovedCall, AskAnswer, CallApprovals};
pub use audited::AuditedApprovals;

/// Stores approvals in memory. They are gone when the process ends.
///
/// ```
/// use prowess_core::{
///     ApprovalDecision, ApprovalId, ApprovalQuery, ApprovalRequest, ApprovalScope, ApprovalStore,
///     ApprovalStoreExt, ArgumentPattern, Asked, NewApproval, OperationId, SessionId, Spend,
///     Timestamp, ApprovalVerdict,
/// };
/// use prowess_session::MemoryApprovals;
///
/// let approvals = MemoryApprovals::new();
/// let session = SessionId::new("s1")?;
/// let request = ApprovalRequest {
///     tool: "Bash".into(),
///     arguments: ArgumentPattern::CommandPrefix(vec!["git".into(), "push".into()]),
///     skill: None,
///     package: None,
///     tenant: None,
/// };
/// let now = Timestamp(1_767_225_600_000);
/// let id = ApprovalId::new("a1");
/// let expires = Timestamp(now.0 + 600_000);
/// let new = NewApproval {
///     id: id.clone(),
///     request,
///     session: session.clone(),
///     preview: "git push origin main".into(),
///     now,
///     expires,
///     log: None,
/// };
/// assert!(matches!(approvals.ask(new)?, Asked::Entry(_)));
///
/// // A person decides.
/// let verdict = ApprovalVerdict::Grant { scope: ApprovalScope::Once, expires: Some(expires) };
/// approvals.decide(&id, &ApprovalDecision { verdict, by: "ada".into(), at: now })?;
///
/// // One call may use it.
/// let query = ApprovalQuery { tool: "Bash", tenant: None, session: &session, now };
/// let spend = |call| approvals.spend(&id, &query, OperationId(call));
/// assert_eq!(spend(1)?, Spend::Allowed);
/// assert_eq!(spend(2)?, Spend::SpentByAnother);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct MemoryApprovals {
    entries: Mutex<BTreeMap<ApprovalId, ApprovalEntry>>,
}

impl MemoryApprovals {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn entries(&self) -> MutexGuard<'_, BTreeMap<ApprovalId, ApprovalEntry>> {
        // Each change is one call of the map, so a panic elsewhere leaves no half of one.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ApprovalStore for MemoryApprovals {
    fn ask(&self, new: NewApproval) -> Result<Asked, ApprovalStoreError> {
        let mut entries = self.entries();
        let session = new.session.clone();
        let of_session = entries.values().filter(|entry| entry.session == session);
        let entry = match new.admit(of_session) {
            Ok(entry) => entry,
            Err(answer) => return Ok(answer),
        };
        if entries.contains_key(&entry.id) {
            return Err(ApprovalStoreError(format!("the id `{}` is in use", entry.id)));
        }
        entries.insert(entry.id.clone(), entry.clone());
        Ok(Asked::Entry(Box::new(entry)))
    }

    fn load(&self, id: &ApprovalId) -> Result<Option<ApprovalEntry>, ApprovalStoreError> {
        Ok(self.entries().get(id).cloned())
    }

    fn replace(&self, entry: ApprovalEntry, expected: u64) -> Result<bool, ApprovalStoreError> {
        let mut entries = self.entries();
        let stored = entries.get_mut(&entry.id).filter(|stored| stored.version == expected);
        Ok(stored.map(|stored| *stored = entry).is_some())
    }

    fn find(&self, query: &ApprovalQuery<'_>) -> Result<Vec<Approval>, ApprovalStoreError> {
        Ok(self.entries().values().filter_map(|entry| entry.approval_for(query)).collect())
    }

    fn list(
        &self,
        after: Option<&ApprovalId>,
        limit: NonZeroUsize,
    ) -> Result<Vec<ApprovalEntry>, ApprovalStoreError> {
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        let entries = self.entries();
        let page = entries.range((start, Bound::Unbounded)).take(limit.get());
        Ok(page.map(|(_, entry)| entry.clone()).collect())
    }

    fn remove_finished(&self, before: Timestamp) -> Result<Vec<ApprovalEntry>, ApprovalStoreError> {
        let mut entries = self.entries();
        let finished = entries.extract_if(.., |_, entry| entry.is_finished(before));
        Ok(finished.map(|(_, entry)| entry).collect())
    }
}
