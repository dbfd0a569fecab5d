//! A sequence of changes with a known result after each.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use prowess_core::{
    ApprovalDecision, ApprovalEntry, ApprovalId, ApprovalQuery, ApprovalRequest, ApprovalScope,
    ApprovalStore, ApprovalStoreExt, ApprovalVerdict, ArgumentPattern, Diagnostic, NewApproval,
    OperationId, PutOutcome, SessionId, SessionStore, StoredContent, StoredSession, Timestamp,
};
use prowess_state::{ApprovalDatabase, SessionDatabase};
use prowess_testkit::Tree;

/// The stores that the changes are made in.
pub(crate) struct Stores {
    pub(crate) approvals: Box<dyn ApprovalStore>,
    pub(crate) sessions: Box<dyn SessionStore>,
}

/// Everything that is stored.
#[derive(Debug, PartialEq)]
pub(crate) struct Snapshot {
    approvals: Vec<ApprovalEntry>,
    sessions: Vec<StoredSession>,
    texts: Vec<Option<Arc<str>>>,
}

/// One change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Ask(usize),
    Decide(usize, ApprovalVerdict),
    Spend(usize),
    RemoveFinished,
    /// Stores the session with these texts.
    Put {
        session: u64,
        operation: u64,
        expected: Option<u64>,
        texts: &'static [usize],
    },
    Touch(u64),
    Delete(u64, u64),
    Expire,
}

/// Returns the changes, none of which leaves the stores as they are.
pub(crate) fn steps() -> Vec<Step> {
    let grant = |scope| ApprovalVerdict::Grant { scope, expires: None };
    vec![
        Step::Ask(0),
        Step::Ask(1),
        Step::Decide(0, grant(ApprovalScope::Once)),
        Step::Put { session: 1, operation: 10, expected: None, texts: &[0, 1] },
        Step::Decide(1, ApprovalVerdict::Deny),
        Step::Spend(0),
        Step::Put { session: 2, operation: 20, expected: None, texts: &[1] },
        Step::Decide(1, grant(ApprovalScope::Always)),
        Step::Touch(2),
        Step::Put { session: 1, operation: 11, expected: Some(10), texts: &[2] },
        Step::Decide(1, ApprovalVerdict::Revoke),
        Step::Delete(2, 20),
        Step::Expire,
        Step::RemoveFinished,
    ]
}

impl Stores {
    pub(crate) fn open(path: &Path) -> Result<Self, Box<Diagnostic>> {
        let approvals = Box::new(ApprovalDatabase::open(path)?);
        Ok(Self { approvals, sessions: Box::new(SessionDatabase::open(path)?) })
    }

    pub(crate) fn snapshot(&self) -> Result<Snapshot, String> {
        let approvals = self.approvals.list(None, NonZeroUsize::MAX).map_err(text)?;
        let sessions = self.sessions.list(None, usize::MAX).map_err(text)?;
        let load = |id: &SessionId| self.sessions.load(id).map_err(text);
        let sessions = sessions.iter().map(|summary| load(&summary.id));
        let sessions: Vec<_> = sessions.collect::<Result<_, _>>()?;
        let sessions: Vec<_> = sessions.into_iter().flatten().collect();
        // An unused text may be stored until sessions are expired.
        let keys: Vec<_> = sessions.iter().flat_map(|session| session.contents.clone()).collect();
        let texts = self.sessions.contents(&keys).map_err(text)?;
        Ok(Snapshot { approvals, sessions, texts })
    }
}

/// Returns what is stored before and after each change.
pub(crate) fn snapshots() -> Vec<Snapshot> {
    let tree = Tree::new("");
    let stores = Stores::open(&tree.join("state.db")).expect("there is room");
    let snapshot = || stores.snapshot().expect("the disk does not fail");
    let after = |step: Step| {
        step.run(&stores).expect("each change is possible");
        snapshot()
    };
    std::iter::once(snapshot()).chain(steps().into_iter().map(after)).collect()
}

impl Step {
    pub(crate) fn run(self, stores: &Stores) -> Result<(), String> {
        let Stores { approvals, sessions } = stores;
        let now = Timestamp(5);
        match self {
            Self::Ask(number) => approvals.ask(new_approval(number)).map(drop).map_err(text),
            Self::Decide(number, verdict) => {
                let decision = ApprovalDecision { verdict, by: "ada".into(), at: now };
                approvals.decide(&approval_id(number), &decision).map(drop).map_err(text)
            }
            Self::Spend(number) => {
                let session = session_id(0);
                let query = ApprovalQuery { tool: "Bash", tenant: None, session: &session, now };
                let spent = approvals.spend(&approval_id(number), &query, OperationId(7));
                spent.map(drop).map_err(text)
            }
            Self::RemoveFinished => {
                approvals.remove_finished(Timestamp(now.0 + 1)).map(drop).map_err(text)
            }
            Self::Put { session, operation, expected, texts } => {
                let new: Vec<_> =
                    texts.iter().map(|number| StoredContent::new(long_text(*number))).collect();
                let session = stored_session(session, operation, &new);
                let outcome = sessions.put(&session, &new, expected.map(OperationId));
                let outcome = outcome.map_err(text)?;
                let is_stored = outcome == PutOutcome::Stored;
                is_stored.then_some(()).ok_or_else(|| format!("{outcome:?}"))
            }
            Self::Touch(number) => {
                let touched = sessions.touch(&session_id(number), Timestamp(9), None);
                touched.map(drop).map_err(text)
            }
            Self::Delete(number, operation) => {
                let deleted = sessions.delete(&session_id(number), OperationId(operation));
                deleted.map(drop).map_err(text)
            }
            Self::Expire => sessions.expire_before(now).map(drop).map_err(text),
        }
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Returns a text that is longer than a page, so that a change takes several writes.
fn long_text(number: usize) -> String {
    format!("text {number} ").repeat(1_000)
}

pub(crate) fn approval_id(number: usize) -> ApprovalId {
    ApprovalId::new(format!("approval {number}"))
}

pub(crate) fn session_id(number: u64) -> SessionId {
    SessionId::new(format!("session-{number}")).expect("it is an id")
}

pub(crate) fn stored_session(number: u64, operation: u64, new: &[StoredContent]) -> StoredSession {
    StoredSession {
        id: session_id(number),
        version: operation,
        operation: OperationId(operation),
        contents: new.iter().map(StoredContent::key).collect(),
        details: format!("details of {operation}").into_bytes().into(),
        touched: Timestamp(3),
        expires: None,
    }
}

pub(crate) fn new_approval(number: usize) -> NewApproval {
    NewApproval {
        id: approval_id(number),
        request: ApprovalRequest {
            tool: "Bash".into(),
            arguments: ArgumentPattern::CommandPrefix(vec![format!("command {number}")]),
            skill: None,
            package: None,
            tenant: None,
        },
        session: session_id(0),
        preview: "long ".repeat(200),
        now: Timestamp(1),
        expires: Timestamp(1_000),
        log: None,
    }
}
