//! The store of approvals.

use std::num::NonZeroUsize;

use crate::{
    Approval, ApprovalDecision, ApprovalEntry, ApprovalId, ApprovalLog, ApprovalQuery,
    ApprovalRequest, ApprovalState, DecisionError, OperationId, SessionId, Spend, SpendStep,
    Timestamp,
};

/// The number of attempts to change an entry that other hosts change concurrently. Each failed
/// attempt means that another host succeeded, and an entry has few states.
const ATTEMPTS: usize = 32;

/// Stores approvals: the pending requests, and the decisions on them.
///
/// A tool has no access to it. The host asks on behalf of a call, and a person decides; see
/// [`ApprovalStoreExt`].
///
/// # Behavior
///
/// - `ask` stores a pending entry with version 0 and returns it. The same request in the same
///   session leads to the entry that is open (see [`ApprovalEntry::is_open`]), and nothing is
///   stored: a model that repeats itself adds nothing.
/// - `ask` stores nothing if [`NewApproval::MAX_PENDING`] unexpired requests of the session are
///   pending, or if the request is larger than [`NewApproval::MAX_SIZE`]. Of racing calls, no more
///   are stored.
/// - `ask` fails if another entry has the id.
/// - `load` returns the entry as it was stored last, from any thread.
/// - `replace` stores an entry only if the stored version is `expected`, and returns whether it
///   did. Of racing calls with one expected version, exactly one succeeds. A removed entry does not
///   come back.
/// - `find` returns exactly the approvals for which [`ApprovalEntry::approval_for`] returns one:
///   never an expired one, one of another tenant, or one of another session unless its scope is
///   [`Always`](crate::ApprovalScope::Always).
/// - `list` returns entries in the order of their ids, starting after `after`, at most `limit`.
/// - `remove_finished` removes exactly the entries that are finished (see
///   [`ApprovalEntry::is_finished`]) and returns them. Of racing calls, one returns each entry.
/// - After an error of `ask` or `replace`, the change is stored completely or not at all.
pub trait ApprovalStore: Send + Sync {
    /// Stores a pending request, or returns the entry that the same request led to before.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be reached or written.
    fn ask(&self, new: NewApproval) -> Result<Asked, ApprovalStoreError>;

    /// Returns the stored entry.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be reached or read.
    fn load(&self, id: &ApprovalId) -> Result<Option<ApprovalEntry>, ApprovalStoreError>;

    /// Stores an entry if the stored version is `expected`; returns `false` if it is not.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be reached or written.
    fn replace(&self, entry: ApprovalEntry, expected: u64) -> Result<bool, ApprovalStoreError>;

    /// Returns the approvals that apply to a caller now.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be reached or read.
    fn find(&self, query: &ApprovalQuery<'_>) -> Result<Vec<Approval>, ApprovalStoreError>;

    /// Returns one page of all entries, for operators.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be reached or read.
    fn list(
        &self,
        after: Option<&ApprovalId>,
        limit: NonZeroUsize,
    ) -> Result<Vec<ApprovalEntry>, ApprovalStoreError>;

    /// Removes the entries that have had no effect since `before`, and returns them.
    ///
    /// A host should keep them for as long as it may repeat operations, so that no answer is lost.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be reached or written.
    fn remove_finished(&self, before: Timestamp) -> Result<Vec<ApprovalEntry>, ApprovalStoreError>;
}

/// Decisions and uses, over any [`ApprovalStore`].
pub trait ApprovalStoreExt: ApprovalStore {
    /// Stores a decision on a request, and returns the entry.
    ///
    /// # Errors
    ///
    /// Returns an error if the entry does not exist, the decision is not possible, or the store
    /// fails.
    fn decide(
        &self,
        id: &ApprovalId,
        decision: &ApprovalDecision,
    ) -> Result<ApprovalEntry, ApprovalError> {
        decided(self, id, None, decision)
    }

    /// Stores the decision of a person on an entry as it was shown, and returns the new entry. A
    /// decision that was made since then stays.
    ///
    /// # Errors
    ///
    /// As [`Self::decide`] does, and if the entry has changed.
    fn answer(
        &self,
        shown: &ApprovalEntry,
        decision: &ApprovalDecision,
    ) -> Result<ApprovalEntry, ApprovalError> {
        decided(self, &shown.id, Some(shown.version), decision)
    }

    /// Uses an approval for one call. Among all hosts, an approval for one call allows one
    /// operation.
    ///
    /// Repeat it with the same operation id if the answer was lost, and never use an operation id
    /// for two calls.
    ///
    /// # Errors
    ///
    /// Returns an error if the store fails. Then the call must not run, although the approval may
    /// be spent.
    fn spend(
        &self,
        id: &ApprovalId,
        query: &ApprovalQuery<'_>,
        operation: OperationId,
    ) -> Result<Spend, ApprovalStoreError> {
        for _ in 0..ATTEMPTS {
            let Some(entry) = self.load(id)? else { return Ok(Spend::NotApplicable) };
            let next = match entry.spend(query, operation) {
                SpendStep::Answer(answer) => return Ok(answer),
                SpendStep::Store(next) => *next,
            };
            if self.replace(next, entry.version)? {
                return Ok(Spend::Allowed);
            }
        }
        Err(contended(id))
    }
}

impl<S: ApprovalStore + ?Sized> ApprovalStoreExt for S {}

/// Stores a decision, of an entry that was shown in its present version only.
fn decided<S: ApprovalStore + ?Sized>(
    store: &S,
    id: &ApprovalId,
    shown: Option<u64>,
    decision: &ApprovalDecision,
) -> Result<ApprovalEntry, ApprovalError> {
    for _ in 0..ATTEMPTS {
        let entry = store.load(id)?.ok_or_else(|| ApprovalError::NotFound(id.clone()))?;
        if shown.is_some_and(|version| version != entry.version) {
            return Err(entry.is_decided().into());
        }
        let next = entry.decide(decision)?;
        if store.replace(next.clone(), entry.version)? {
            return Ok(next);
        }
    }
    Err(contended(id).into())
}

fn contended(id: &ApprovalId) -> ApprovalStoreError {
    ApprovalStoreError(format!("approval `{id}` was changed by others too often; try again"))
}

/// A request for an approval, with its id and its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewApproval {
    /// The id of the entry if one is stored. The host chooses it: random and unique.
    pub id: ApprovalId,
    /// The call to approve.
    pub request: ApprovalRequest,
    /// The session in which the call was made.
    pub session: SessionId,
    /// The arguments of the call as text, for the person.
    pub preview: String,
    /// The current time.
    pub now: Timestamp,
    /// The time from which on the request is no longer shown.
    pub expires: Timestamp,
    /// The log in which the host records the request.
    pub log: Option<ApprovalLog>,
}

impl NewApproval {
    /// The maximum number of pending requests of one session.
    pub const MAX_PENDING: usize = 32;

    /// The maximum size of the texts of a request and its preview in bytes.
    pub const MAX_SIZE: usize = 16 * 1024;

    /// Computes the entry to store, given the other entries of its session and no others.
    ///
    /// # Errors
    ///
    /// Returns the answer if nothing has to be stored.
    pub fn admit<'a>(
        self,
        of_session: impl IntoIterator<Item = &'a ApprovalEntry>,
    ) -> Result<ApprovalEntry, Asked> {
        if self.request.size() + self.preview.len() > Self::MAX_SIZE {
            return Err(Asked::TooLarge);
        }
        let mut pending = 0;
        for entry in of_session.into_iter().filter(|entry| entry.is_open(self.now)) {
            if entry.request == self.request {
                return Err(Asked::Entry(Box::new(entry.clone())));
            }
            pending += usize::from(entry.state == ApprovalState::Pending);
        }
        if pending >= Self::MAX_PENDING {
            return Err(Asked::TooMany);
        }
        Ok(ApprovalEntry {
            id: self.id,
            request: self.request,
            session: self.session,
            preview: self.preview,
            asked: self.now,
            expires: Some(self.expires),
            log: self.log,
            version: 0,
            state: ApprovalState::Pending,
        })
    }
}

/// The result of [`ApprovalStore::ask`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The entry of this request: usually pending, or already granted or denied.
    Entry(Box<ApprovalEntry>),
    /// Too many requests of the session are pending, and this one was not stored.
    TooMany,
    /// The request is too large to be shown to a person, and was not stored.
    TooLarge,
}

/// The error of a decision on an approval, which has changed nothing unless the store fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApprovalError {
    /// There is no entry with this id.
    #[error("there is no approval `{0}`")]
    NotFound(ApprovalId),
    /// The decision is not possible.
    #[error(transparent)]
    Decision(#[from] DecisionError),
    /// The store fails.
    #[error(transparent)]
    Store(#[from] ApprovalStoreError),
}

/// The error of an approval store, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the approval store failed: {0}")]
pub struct ApprovalStoreError(pub String);
