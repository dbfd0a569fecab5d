//! The changes of approvals, as the audit receives them.

use std::sync::Arc;

use prowess_core::{
    ApprovalDecision, ApprovalId, ApprovalQuery, ApprovalRequest, ApprovalScope, ApprovalStore,
    ApprovalStoreExt, ApprovalVerdict, ArgumentPattern, AuditError, AuditEvent, AuditPolicy,
    AuditSink, CallOrigin, CorrelationId, NewApproval, OperationId, RuntimeEvent, SessionId, Spend,
    Timestamp,
};
use prowess_session::{AuditedApprovals, MemoryApprovals};
use prowess_testkit::{AuditRecorder, check_approval_store};

/// Returns an approval in the audit as a line.
fn line(event: &RuntimeEvent) -> String {
    let RuntimeEvent::Approval(event) = event else { panic!("{event:?} is of no approval") };
    format!(
        "{} {:?} at {} scope {:?} by {:?} tenant {:?} agent {:?} run {:?}",
        event.id,
        event.action,
        event.at.0,
        event.scope,
        event.by,
        event.origin.tenant,
        event.origin.agent,
        event.correlation.as_ref().map(CorrelationId::as_str),
    )
}

struct Host {
    audit: Arc<AuditRecorder>,
    approvals: AuditedApprovals,
}

impl Host {
    fn new() -> Self {
        let audit = Arc::new(AuditRecorder::default());
        let store = Arc::new(MemoryApprovals::new());
        let approvals = AuditedApprovals::new(store, audit.clone(), AuditPolicy::BestEffort);
        Self { audit, approvals }
    }

    /// Returns the store for a call of the agent `scribe`.
    fn of_call(&self) -> AuditedApprovals {
        let agent = Some("scribe".to_owned());
        let origin = CallOrigin { agent, tenant: Some("acme".into()), ..CallOrigin::default() };
        self.approvals.for_call(Arc::new(origin), CorrelationId::new("run-1"))
    }

    fn ask(&self, id: &str, word: &str) {
        let request = ApprovalRequest {
            tool: "Bash".to_owned(),
            arguments: ArgumentPattern::CommandPrefix(vec![word.to_owned()]),
            skill: None,
            package: None,
            tenant: Some("acme".to_owned()),
        };
        let asked = self.of_call().ask(NewApproval {
            id: ApprovalId::new(id),
            request,
            session: session(),
            preview: word.to_owned(),
            now: Timestamp(1),
            expires: Timestamp(100),
            log: None,
        });
        asked.expect("memory does not fail");
    }

    fn decide(&self, id: &str, verdict: ApprovalVerdict) -> bool {
        let decision = ApprovalDecision { verdict, by: "ada".to_owned(), at: Timestamp(2) };
        self.approvals.decide(&ApprovalId::new(id), &decision).is_ok()
    }

    fn spend(&self, id: &str, operation: u64) -> Spend {
        let session = session();
        let now = Timestamp(3);
        let query = ApprovalQuery { tool: "Bash", tenant: Some("acme"), session: &session, now };
        let spent = self.of_call().spend(&ApprovalId::new(id), &query, OperationId(operation));
        spent.expect("memory does not fail")
    }

    fn take(&self) -> Vec<String> {
        assert!(self.audit.take_calls().is_empty(), "a store calls no tool");
        self.audit.take_changes().iter().map(line).collect()
    }
}

fn session() -> SessionId {
    SessionId::new("s").expect("it is an id")
}

fn grant(scope: ApprovalScope) -> ApprovalVerdict {
    ApprovalVerdict::Grant { scope, expires: Some(Timestamp(50)) }
}

const OF_CALL: &str = "tenant Some(\"acme\") agent Some(\"scribe\") run Some(\"run-1\")";
const OF_PERSON: &str = "by Some(\"ada\") tenant Some(\"acme\") agent None run None";

#[test]
fn audited_store_keeps_every_rule() {
    let report = check_approval_store(&Host::new().approvals);
    assert!(report.is_passed(), "{report}");
}

#[test]
fn request_is_reported_once() {
    let host = Host::new();
    host.ask("1", "push");
    assert_eq!(host.take(), [format!("1 Asked at 1 scope None by None {OF_CALL}")]);
    host.ask("2", "push");
    assert_eq!(host.take(), Vec::<String>::new(), "the same request is pending");
}

#[test]
fn decisions_name_the_person() {
    let host = Host::new();
    for id in ["1", "2"] {
        host.ask(id, id);
    }
    host.take();
    assert!(host.decide("1", grant(ApprovalScope::Session)));
    assert!(host.decide("1", ApprovalVerdict::Revoke));
    assert!(host.decide("2", ApprovalVerdict::Deny));
    assert!(!host.decide("2", ApprovalVerdict::Revoke), "it was not granted");
    let expected = [
        format!("1 Granted at 2 scope Some(Session) {OF_PERSON}"),
        format!("1 Revoked at 2 scope None {OF_PERSON}"),
        format!("2 Refused at 2 scope None {OF_PERSON}"),
    ];
    assert_eq!(host.take(), expected);
}

#[test]
fn use_of_one_call_is_reported_once() {
    let host = Host::new();
    host.ask("1", "push");
    host.decide("1", grant(ApprovalScope::Once));
    host.take();
    assert_eq!(host.spend("1", 7), Spend::Allowed);
    assert_eq!(host.spend("1", 7), Spend::Allowed, "the operation is repeated");
    assert_eq!(host.spend("1", 8), Spend::SpentByAnother);
    assert_eq!(host.take(), [format!("1 Spent at 3 scope Some(Once) by Some(\"ada\") {OF_CALL}")]);
}

#[test]
fn change_that_lost_a_race_is_not_reported() {
    let host = Host::new();
    host.ask("1", "push");
    let id = ApprovalId::new("1");
    let asked = host.approvals.load(&id).expect("memory does not fail").expect("it is stored");
    assert!(host.decide("1", grant(ApprovalScope::Session)));
    host.take();
    let decision =
        ApprovalDecision { verdict: ApprovalVerdict::Deny, by: "bob".into(), at: Timestamp(2) };
    let late = asked.decide(&decision).expect("it was pending when it was read");
    assert_eq!(host.approvals.replace(late, asked.version), Ok(false));
    assert_eq!(host.take(), Vec::<String>::new(), "nothing has changed");
}

#[test]
fn removed_entries_have_expired_unless_they_ended() {
    let host = Host::new();
    for id in ["pending", "granted", "denied", "revoked"] {
        host.ask(id, id);
    }
    host.decide("granted", grant(ApprovalScope::Always));
    host.decide("denied", ApprovalVerdict::Deny);
    host.decide("revoked", grant(ApprovalScope::Session));
    host.decide("revoked", ApprovalVerdict::Revoke);
    host.take();
    let remove = || host.approvals.remove_finished(Timestamp(101)).map(|removed| removed.len());
    assert_eq!(remove(), Ok(4));
    let of_tenant = "by None tenant Some(\"acme\") agent None run None";
    let expected = [
        format!("granted Expired at 50 scope Some(Always) {of_tenant}"),
        format!("pending Expired at 100 scope None {of_tenant}"),
    ];
    assert_eq!(host.take(), expected);
    assert_eq!(remove(), Ok(0));
    assert_eq!(host.take(), Vec::<String>::new(), "an expiry is reported once");
}

/// Fails to store decisions, and names its log.
struct FullDisk;

impl AuditSink for FullDisk {
    fn record(&self, _event: &AuditEvent) {}

    fn store(&self, _event: &RuntimeEvent) -> Result<(), AuditError> {
        Err(AuditError("the disk is full".to_owned()))
    }

    fn location(&self) -> Option<String> {
        Some("/var/audit.jsonl".to_owned())
    }
}

#[test]
fn decision_without_a_record_depends_on_the_policy() {
    for (policy, is_made) in [(AuditPolicy::Required, false), (AuditPolicy::BestEffort, true)] {
        let store = Arc::new(MemoryApprovals::new());
        let approvals = AuditedApprovals::new(store, Arc::new(FullDisk), policy);
        let host = Host { audit: Arc::default(), approvals };
        host.ask("a1", "push");
        let id = ApprovalId::new("a1");
        let log = host.approvals.load(&id).expect("memory").expect("it was asked").log;
        let log = log.expect("the request names the log of its host");
        assert_eq!((&*log.location, log.policy), ("/var/audit.jsonl", policy));
        assert_eq!(host.decide("a1", ApprovalVerdict::Deny), is_made, "{policy:?}");
        let entry = host.approvals.load(&id).expect("memory").expect("it was asked");
        assert_eq!(entry.version, u64::from(is_made), "{policy:?}");
    }
}

/// The log has the decision first, and says so if it then was not made.
#[test]
fn recorded_decision_that_was_not_made_is_marked() {
    let mut host = Host::new();
    let store = Arc::new(MemoryApprovals::new());
    host.approvals = AuditedApprovals::new(store, host.audit.clone(), AuditPolicy::Required);
    host.ask("a1", "push");
    host.take();
    let entry = host.approvals.load(&ApprovalId::new("a1")).expect("memory").expect("it is there");
    let deny =
        ApprovalDecision { verdict: ApprovalVerdict::Deny, by: "ada".to_owned(), at: Timestamp(2) };
    let denied = entry.decide(&deny).expect("it is pending");
    assert_eq!(host.approvals.replace(denied, 7), Ok(false), "another host was faster");
    let lines = host.take();
    assert!(lines[0].starts_with("a1 Refused") && lines[1].starts_with("a1 NotMade"), "{lines:?}");
}
