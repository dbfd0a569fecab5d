//! Approvals in a database that is opened when the first call needs one.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::OnceLock;

use prowess_core::{
    Approval, ApprovalEntry, ApprovalId, ApprovalQuery, ApprovalStore, ApprovalStoreError, Asked,
    NewApproval, Timestamp,
};

use super::ApprovalDatabase;

/// An [`ApprovalDatabase`] that is opened by its first use, so that a program whose calls need no
/// approval creates no file.
///
/// If it cannot be opened, the use fails and the next one tries again.
#[derive(Debug)]
pub struct LazyApprovals {
    path: PathBuf,
    database: OnceLock<ApprovalDatabase>,
}

impl LazyApprovals {
    /// Creates the store of a database file, which need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), database: OnceLock::new() }
    }

    fn opened(&self) -> Result<&ApprovalDatabase, ApprovalStoreError> {
        if let Some(database) = self.database.get() {
            return Ok(database);
        }
        let opened = ApprovalDatabase::open(&self.path)
            .map_err(|finding| ApprovalStoreError(finding.message))?;
        // If another thread was faster, its database is the same file.
        Ok(self.database.get_or_init(|| opened))
    }
}

impl ApprovalStore for LazyApprovals {
    fn ask(&self, new: NewApproval) -> Result<Asked, ApprovalStoreError> {
        self.opened()?.ask(new)
    }

    fn load(&self, id: &ApprovalId) -> Result<Option<ApprovalEntry>, ApprovalStoreError> {
        self.opened()?.load(id)
    }

    fn replace(&self, entry: ApprovalEntry, expected: u64) -> Result<bool, ApprovalStoreError> {
        self.opened()?.replace(entry, expected)
    }

    fn find(&self, query: &ApprovalQuery<'_>) -> Result<Vec<Approval>, ApprovalStoreError> {
        self.opened()?.find(query)
    }

    fn list(
        &self,
        after: Option<&ApprovalId>,
        limit: NonZeroUsize,
    ) -> Result<Vec<ApprovalEntry>, ApprovalStoreError> {
        self.opened()?.list(after, limit)
    }

    fn remove_finished(&self, before: Timestamp) -> Result<Vec<ApprovalEntry>, ApprovalStoreError> {
        self.opened()?.remove_finished(before)
    }
}
