//! The session of a command that makes a call, such as `run`: it ends with the command.
//!
//! An approval for one call is for the session that asked. Here that has ended when a person
//! decides, so the same call of a later command uses it.

use std::io::IsTerminal as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Instant;

use prowess::state::ApprovalDatabase;
use prowess::{
    Approval, ApprovalEntry, ApprovalId, ApprovalQuery, ApprovalScope, ApprovalState,
    ApprovalStore, ApprovalStoreError, Asked, Clock as _, Digest, NewApproval, SessionId,
    SystemClock, Timestamp,
};

/// The start of the ids of these sessions; the other digits are those of one command. A server
/// has random ones, and lets no client choose.
const START: &str = "9c0a7dd51e55";

/// The number of entries that are read at once.
const PAGE: NonZeroUsize = NonZeroUsize::new(256).expect("it is not zero");

/// Returns the id of a new session.
pub(crate) fn new_id() -> SessionId {
    let moment = (std::process::id(), SystemClock::default().now(), Instant::now());
    let digest = Digest::of(format!("{moment:?}").as_bytes()).to_string();
    let digits = digest.trim_start_matches("sha256:").get(START.len()..32).unwrap_or_default();
    SessionId::new(format!("{START}{digits}")).expect("it has digits alone")
}

/// Returns whether the session was that of a command.
pub(crate) fn is_of_command(session: &SessionId) -> bool {
    session.as_str().len() == 32 && session.as_str().starts_with(START)
}

/// The approvals of a user. The session of a command uses those of earlier commands as its own.
pub(crate) struct UserApprovals {
    approvals: ApprovalDatabase,
    /// The session of this command, once it has made a call.
    session: OnceLock<SessionId>,
}

impl UserApprovals {
    /// Creates the store of a database file, which need not exist.
    pub(crate) fn new(database: PathBuf) -> Self {
        Self { approvals: ApprovalDatabase::lazy(database), session: OnceLock::new() }
    }

    /// Returns the entry as one of this session, if it is for one call of a command. A person at
    /// the terminal is asked again after they refused.
    fn taken_over(&self, entry: ApprovalEntry) -> ApprovalEntry {
        let is_taken = match entry.state {
            ApprovalState::Pending => true,
            ApprovalState::Denied { .. } => !std::io::stdin().is_terminal(),
            ApprovalState::Granted { scope, .. } => scope == ApprovalScope::Once,
            _ => false,
        };
        let session = self.session.get().filter(|_| is_taken && is_of_command(&entry.session));
        ApprovalEntry { session: session.cloned().unwrap_or(entry.session), ..entry }
    }

    /// Returns the entries of earlier commands that the session takes over.
    fn of_earlier(&self, session: &SessionId) -> Result<Vec<ApprovalEntry>, ApprovalStoreError> {
        let mut taken = Vec::new();
        if !is_of_command(session) {
            return Ok(taken);
        }
        let session = self.session.get_or_init(|| session.clone());
        let mut last = None;
        loop {
            let page = self.approvals.list(last.as_ref(), PAGE)?;
            last = page.last().map(|entry| entry.id.clone());
            let is_last = page.len() < PAGE.get();
            let others = page.into_iter().filter(|entry| entry.session != *session);
            let others = others.map(|entry| self.taken_over(entry));
            taken.extend(others.filter(|entry| entry.session == *session));
            if is_last {
                return Ok(taken);
            }
        }
    }
}

impl ApprovalStore for UserApprovals {
    fn ask(&self, new: NewApproval) -> Result<Asked, ApprovalStoreError> {
        let is_same = |it: &ApprovalEntry| it.is_open(new.now) && it.request == new.request;
        match self.of_earlier(&new.session)?.into_iter().find(is_same) {
            Some(entry) => Ok(Asked::Entry(Box::new(entry))),
            None => self.approvals.ask(new),
        }
    }

    fn load(&self, id: &ApprovalId) -> Result<Option<ApprovalEntry>, ApprovalStoreError> {
        Ok(self.approvals.load(id)?.map(|entry| self.taken_over(entry)))
    }

    fn replace(&self, entry: ApprovalEntry, expected: u64) -> Result<bool, ApprovalStoreError> {
        // The log of the session that asked names it, also after another one has used the approval.
        let session = self.approvals.load(&entry.id)?.map(|asked| asked.session);
        let session = session.unwrap_or_else(|| entry.session.clone());
        self.approvals.replace(ApprovalEntry { session, ..entry }, expected)
    }

    fn find(&self, query: &ApprovalQuery<'_>) -> Result<Vec<Approval>, ApprovalStoreError> {
        let mut found = self.approvals.find(query)?;
        found.extend(
            self.of_earlier(query.session)?.iter().filter_map(|entry| entry.approval_for(query)),
        );
        Ok(found)
    }

    fn list(
        &self,
        after: Option<&ApprovalId>,
        limit: NonZeroUsize,
    ) -> Result<Vec<ApprovalEntry>, ApprovalStoreError> {
        self.approvals.list(after, limit)
    }

    fn remove_finished(&self, before: Timestamp) -> Result<Vec<ApprovalEntry>, ApprovalStoreError> {
        self.approvals.remove_finished(before)
    }
}
