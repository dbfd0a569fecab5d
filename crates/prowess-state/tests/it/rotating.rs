//! A store of which each call goes to the next connection.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use prowess_core::{
    Approval, ApprovalEntry, ApprovalId, ApprovalQuery, ApprovalStore, ApprovalStoreError, Asked,
    NewApproval, Timestamp,
};
use prowess_state::ApprovalDatabase;

pub(crate) struct Rotating {
    connections: Vec<ApprovalDatabase>,
    calls: AtomicUsize,
}

impl Rotating {
    pub(crate) fn new(connections: impl IntoIterator<Item = ApprovalDatabase>) -> Self {
        Self { connections: connections.into_iter().collect(), calls: AtomicUsize::new(0) }
    }

    fn next(&self) -> &ApprovalDatabase {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        &self.connections[call % self.connections.len()]
    }
}

impl ApprovalStore for Rotating {
    fn ask(&self, new: NewApproval) -> Result<Asked, ApprovalStoreError> {
        self.next().ask(new)
    }

    fn load(&self, id: &ApprovalId) -> Result<Option<ApprovalEntry>, ApprovalStoreError> {
        self.next().load(id)
    }

    fn replace(&self, entry: ApprovalEntry, expected: u64) -> Result<bool, ApprovalStoreError> {
        self.next().replace(entry, expected)
    }

    fn find(&self, query: &ApprovalQuery<'_>) -> Result<Vec<Approval>, ApprovalStoreError> {
        self.next().find(query)
    }

    fn list(
        &self,
        after: Option<&ApprovalId>,
        limit: NonZeroUsize,
    ) -> Result<Vec<ApprovalEntry>, ApprovalStoreError> {
        self.next().list(after, limit)
    }

    fn remove_finished(&self, before: Timestamp) -> Result<Vec<ApprovalEntry>, ApprovalStoreError> {
        self.next().remove_finished(before)
    }
}
