//! Sessions and approvals that tests store.

use std::sync::Arc;

use prowess_core::{
    ApprovalDecision, ApprovalId, ApprovalRequest, ApprovalScope, ApprovalStore, ApprovalStoreExt,
    ApprovalVerdict, ArgumentPattern, NewApproval, OperationId, SessionId, StoredSession,
    Timestamp,
};

pub(super) fn id(number: u64) -> SessionId {
    SessionId::new(format!("session-{number}")).unwrap()
}

pub(super) fn session(number: u64, operation: u64) -> StoredSession {
    StoredSession {
        id: id(number),
        version: operation,
        operation: OperationId(operation),
        contents: Vec::new(),
        details: Arc::from(operation.to_be_bytes()),
        touched: Timestamp(operation),
        expires: None,
    }
}

pub(super) fn approval_id(number: u64) -> ApprovalId {
    ApprovalId::new(format!("approval-{number}"))
}

/// Stores a granted approval for one call in session 1.
pub(super) fn granted(store: &dyn ApprovalStore, number: u64) {
    let arguments = ArgumentPattern::CommandPrefix(vec![number.to_string()]);
    let (tool, tenant) = ("Bash".to_owned(), Some("acme".to_owned()));
    let asked = store.ask(NewApproval {
        id: approval_id(number),
        request: ApprovalRequest { tool, arguments, skill: None, package: None, tenant },
        session: id(1),
        preview: number.to_string(),
        now: Timestamp(1),
        expires: Timestamp(1_000),
        log: None,
    });
    asked.unwrap();
    let verdict = ApprovalVerdict::Grant { scope: ApprovalScope::Once, expires: None };
    let decision = ApprovalDecision { verdict, by: "ada".to_owned(), at: Timestamp(2) };
    store.decide(&approval_id(number), &decision).unwrap();
}
