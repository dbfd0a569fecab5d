//! Tests of approvals: requests, decisions and expiry.

use prowess_core::{
    ApprovalDecision, ApprovalEntry, ApprovalId, ApprovalQuery, ApprovalRequest, ApprovalScope,
    ApprovalVerdict, ArgumentPattern, Asked, DecisionError, Digest, NewApproval, OperationId,
    SessionId, Spend, SpendStep, Timestamp,
};

fn session() -> SessionId {
    SessionId::new("s").expect("the id is valid")
}

fn request(package: Option<&[u8]>) -> ApprovalRequest {
    ApprovalRequest {
        tool: "Bash".into(),
        arguments: ArgumentPattern::Any,
        skill: Some("deploy".into()),
        package: package.map(Digest::of),
        tenant: Some("acme".into()),
    }
}

fn pending(package: Option<&[u8]>) -> ApprovalEntry {
    let new = NewApproval {
        id: ApprovalId::new("a"),
        request: request(package),
        session: session(),
        preview: String::new(),
        now: Timestamp(1),
        expires: Timestamp(10),
        log: None,
    };
    new.admit([]).expect("the limit is not reached")
}

const SCOPES: [ApprovalScope; 3] =
    [ApprovalScope::Once, ApprovalScope::Session, ApprovalScope::Always];

fn grant(scope: ApprovalScope, expires: Option<u64>) -> ApprovalVerdict {
    ApprovalVerdict::Grant { scope, expires: expires.map(Timestamp) }
}

fn decide(
    entry: &ApprovalEntry,
    verdict: ApprovalVerdict,
    at: u64,
) -> Result<ApprovalEntry, DecisionError> {
    entry.decide(&ApprovalDecision { verdict, by: "ada".into(), at: Timestamp(at) })
}

/// Returns the entry after these decisions.
fn decided(verdicts: &[ApprovalVerdict]) -> ApprovalEntry {
    let decided = |entry: ApprovalEntry, verdict: &ApprovalVerdict| decide(&entry, *verdict, 2);
    verdicts.iter().try_fold(pending(Some(b"package")), decided).expect("each decision is possible")
}

fn query(session: &SessionId, now: u64) -> ApprovalQuery<'_> {
    ApprovalQuery { tool: "Bash", tenant: Some("acme"), session, now: Timestamp(now) }
}

fn applies(entry: &ApprovalEntry, now: u64) -> bool {
    entry.approval_for(&query(&session(), now)).is_some()
}

#[test]
fn possible_decisions_depend_on_the_state() {
    let granted = grant(ApprovalScope::Once, Some(9));
    let cases: [(&[ApprovalVerdict], [bool; 3]); 5] = [
        (&[], [true, true, false]),
        (&[granted], [false, false, true]),
        (&[ApprovalVerdict::Deny], [true, false, false]),
        (&[ApprovalVerdict::Deny, granted], [false, false, true]),
        (&[granted, ApprovalVerdict::Revoke], [false, false, false]),
    ];
    for (before, possible) in cases {
        let entry = decided(before);
        let results = [granted, ApprovalVerdict::Deny, ApprovalVerdict::Revoke].map(|verdict| {
            let next = decide(&entry, verdict, 2);
            assert!(
                next.as_ref().is_ok_and(|next| next.version == entry.version + 1)
                    || matches!(next, Err(DecisionError::State { .. }))
            );
            next.is_ok()
        });
        assert_eq!(results, possible, "grant, deny and revoke when {}", entry.state.word());
    }
}

#[test]
fn spent_approval_cannot_be_changed() {
    let entry = decided(&[grant(ApprovalScope::Once, None)]);
    let session = session();
    let query = query(&session, 3);
    let SpendStep::Store(spent) = entry.spend(&query, OperationId(1)) else {
        panic!("it changes the entry")
    };
    assert_eq!(spent.state.by(), Some("ada"), "its use does not hide the person");
    for verdict in
        [grant(ApprovalScope::Always, None), ApprovalVerdict::Deny, ApprovalVerdict::Revoke]
    {
        assert!(decide(&spent, verdict, 3).is_err(), "{verdict:?} of a spent approval");
    }
    let late = ApprovalQuery { now: Timestamp(u64::MAX), ..query };
    for (operation, expected) in [(1, Spend::Allowed), (2, Spend::SpentByAnother)] {
        let answer = spent.spend(&late, OperationId(operation));
        assert_eq!(answer, SpendStep::Answer(expected), "{operation}, also after its expiry");
    }
}

#[test]
fn expiry_is_exclusive_everywhere() {
    let entry = pending(Some(b"package"));
    let id = entry.id.clone();
    assert!(entry.is_open(Timestamp(9)) && !entry.is_open(Timestamp(10)));
    for verdict in [grant(ApprovalScope::Once, None), ApprovalVerdict::Deny] {
        assert!(decide(&entry, verdict, 9).is_ok(), "{verdict:?} before the expiry");
        assert_eq!(decide(&entry, verdict, 10), Err(DecisionError::Expired(id.clone())));
    }
    for (expires, at) in [(5, 5), (4, 5)] {
        let late = decide(&entry, grant(ApprovalScope::Once, Some(expires)), at);
        assert_eq!(late, Err(DecisionError::Expired(id.clone())), "it would expire at once");
    }
    for scope in SCOPES {
        let granted = decided(&[grant(scope, Some(20))]);
        assert!(applies(&granted, 19), "the approval has its own expiry");
        assert!(!applies(&granted, 20), "from its expiry on it does not apply");
        assert_eq!(
            decide(&granted, ApprovalVerdict::Revoke, 20),
            Err(DecisionError::Expired(id.clone()))
        );
        assert!(applies(&decided(&[grant(scope, None)]), u64::MAX), "without expiry none expires");
    }
}

#[test]
fn approval_has_the_granted_scope() {
    let session = session();
    let query = query(&session, 3);
    for scope in SCOPES {
        let entry = decided(&[grant(scope, Some(20))]);
        let approval = entry.approval_for(&query).expect("the approval applies");
        assert_eq!(approval.session.is_none(), scope == ApprovalScope::Always, "{scope:?}");
        assert_eq!((approval.id, approval.request), (entry.id, entry.request), "{scope:?}");
        assert_eq!(approval.scope, scope);
        assert_eq!((approval.granted, approval.expires), (Timestamp(2), Some(Timestamp(20))));
    }
}

#[test]
fn entry_is_removed_once_it_has_no_effect() {
    let once = grant(ApprovalScope::Once, Some(20));
    let revoked = decided(&[once, ApprovalVerdict::Revoke]);
    let session = session();
    let query = query(&session, 3);
    let SpendStep::Store(spent) = decided(&[once]).spend(&query, OperationId(1)) else {
        panic!("it changes the entry")
    };
    for (entry, end) in [
        (pending(None), 10),
        (decided(&[ApprovalVerdict::Deny]), 10),
        (decided(&[once]), 20),
        (revoked, 2),
        (*spent, 3),
    ] {
        let word = entry.state.word();
        assert!(!entry.is_finished(Timestamp(end)), "{word}: it had an effect until then");
        assert!(entry.is_finished(Timestamp(end + 1)), "{word}: it has none any more");
    }
    let lasting = decided(&[grant(ApprovalScope::Always, None)]);
    assert!(!lasting.is_finished(Timestamp(u64::MAX)), "it has no end");
}

fn new(id: usize, request: ApprovalRequest, preview: &str) -> NewApproval {
    NewApproval {
        id: ApprovalId::new(id.to_string()),
        request,
        session: session(),
        preview: preview.to_owned(),
        now: Timestamp(2),
        expires: Timestamp(10),
        log: None,
    }
}

#[test]
fn largest_request_is_admitted() {
    let preview = "x".repeat(NewApproval::MAX_SIZE - "Bashdeployacme".len());
    assert!(new(1, request(None), &preview).admit([]).is_ok());
    assert_eq!(new(1, request(None), &(preview + "x")).admit([]), Err(Asked::TooLarge));
}

#[test]
fn requests_of_a_session_are_repeated_or_limited() {
    let of_tool = |number: usize| ApprovalRequest { tool: number.to_string(), ..request(None) };
    let mut entries = vec![decided(&[grant(ApprovalScope::Once, None)])];
    for number in 1..=NewApproval::MAX_PENDING {
        let entry = new(number, of_tool(number), "").admit(&entries);
        entries.push(entry.expect("a granted entry does not count"));
    }
    let again = new(99, of_tool(7), "").admit(&entries);
    assert_eq!(again, Err(Asked::Entry(Box::new(entries[7].clone()))), "it is asked already");
    assert_eq!(new(99, of_tool(99), "").admit(&entries), Err(Asked::TooMany));
    let later = NewApproval { now: Timestamp(10), ..new(99, of_tool(7), "") };
    assert!(later.admit(&entries).is_ok(), "each of them has expired");
}

#[test]
fn package_without_digest_is_approved_once() {
    for scope in SCOPES {
        let granted = decide(&pending(None), grant(scope, None), 2);
        let is_once = scope == ApprovalScope::Once;
        assert_eq!(granted.is_ok(), is_once, "{scope:?} for a package without a digest");
        let mut without_skill = pending(None);
        without_skill.request.skill = None;
        assert!(decide(&without_skill, grant(scope, None), 2).is_ok(), "{scope:?} without a skill");
    }
}

#[test]
fn size_counts_every_text() {
    let mut request = request(None);
    assert_eq!(request.size(), "Bash".len() + "deploy".len() + "acme".len());
    request.arguments = ArgumentPattern::CommandPrefix(vec!["git".into(), "push".into()]);
    assert_eq!(request.size(), "Bashdeployacmegitpush".len());
}
