//! A sequence of changes with a known result after each.

use std::num::NonZeroUsize;

use prowess_core::{
    ApprovalDecision, ApprovalEntry, ApprovalId, ApprovalQuery, ApprovalRequest, ApprovalScope,
    ApprovalStore, ApprovalStoreExt, ApprovalVerdict, ArgumentPattern, NewApproval, OperationId,
    SessionId, Timestamp,
};
use prowess_session::MemoryApprovals;

/// One change of a store.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Ask(usize),
    Decide(usize, ApprovalVerdict),
    Spend(usize),
    RemoveFinished,
}

/// Returns the changes, none of which leaves a store as it is.
pub(crate) fn steps() -> Vec<Step> {
    let grant = |scope| ApprovalVerdict::Grant { scope, expires: None };
    let round = |first: usize| {
        [
            Step::Ask(first),
            Step::Ask(first + 1),
            Step::Decide(first, grant(ApprovalScope::Once)),
            Step::Decide(first + 1, ApprovalVerdict::Deny),
            Step::Spend(first),
            Step::Decide(first + 1, grant(ApprovalScope::Always)),
        ]
    };
    let rounds = [0, 2, 4].map(round).into_iter().flatten();
    rounds.chain([Step::Decide(1, ApprovalVerdict::Revoke), Step::RemoveFinished]).collect()
}

impl Step {
    pub(crate) fn run(self, store: &dyn ApprovalStore) -> Result<(), String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let now = Timestamp(5);
        match self {
            Self::Ask(number) => {
                store.ask(new_approval(number)).map(|_| ()).map_err(|error| text(&error))
            }
            Self::Decide(number, verdict) => {
                let decision = ApprovalDecision { verdict, by: "ada".into(), at: now };
                store.decide(&id(number), &decision).map(|_| ()).map_err(|error| text(&error))
            }
            Self::Spend(number) => {
                let session = session();
                let query = ApprovalQuery { tool: "Bash", tenant: None, session: &session, now };
                let operation = OperationId(7);
                store
                    .spend(&id(number), &query, operation)
                    .map(|_| ())
                    .map_err(|error| text(&error))
            }
            Self::RemoveFinished => store
                .remove_finished(Timestamp(now.0 + 1))
                .map(|_| ())
                .map_err(|error| text(&error)),
        }
    }
}

/// Returns the entries after the first `count` changes.
pub(crate) fn expected(count: usize) -> Vec<ApprovalEntry> {
    let store = MemoryApprovals::new();
    steps()[..count].iter().for_each(|step| step.run(&store).expect("memory does not fail"));
    all(&store).expect("memory does not fail")
}

pub(crate) fn all(store: &dyn ApprovalStore) -> Result<Vec<ApprovalEntry>, String> {
    store.list(None, NonZeroUsize::MAX).map_err(|error| error.to_string())
}

pub(crate) fn id(number: usize) -> ApprovalId {
    ApprovalId::new(format!("approval {number}"))
}

pub(crate) fn session() -> SessionId {
    SessionId::new("session").expect("it is an id")
}

pub(crate) fn new_approval(number: usize) -> NewApproval {
    // Longer than a page, so that a change takes several writes.
    let words = vec![format!("command {number}"), "x".repeat(6_000)];
    NewApproval {
        id: id(number),
        request: ApprovalRequest {
            tool: "Bash".into(),
            arguments: ArgumentPattern::CommandPrefix(words),
            skill: None,
            package: None,
            tenant: None,
        },
        session: session(),
        preview: String::new(),
        now: Timestamp(1),
        expires: Timestamp(1_000),
    }
}
