//! Tests of the store kit: the memory store passes it, and each planted fault fails the rule that
//! forbids it.

use std::sync::Arc;

use prowess_core::{OperationId, SessionId, SessionStore, StoredSession, Timestamp};
use prowess_session::MemoryStore;
use prowess_testkit::check_store;

use crate::faulty_store::{Fault, FaultyStore};

#[test]
fn memory_store_passes() {
    let report = check_store(&MemoryStore::new());
    assert!(report.is_passed(), "{report}");
}

/// A host may change the limit of idle sessions while a session is open.
#[test]
fn put_at_the_same_time_has_its_own_expiry() {
    let store = MemoryStore::new();
    let session = |operation: u64, expires: u64| StoredSession {
        id: SessionId::new("chat-7").expect("it is a good id"),
        version: operation,
        operation: OperationId(operation),
        contents: Vec::new(),
        details: Arc::from([0]),
        touched: Timestamp(5),
        expires: Some(Timestamp(expires)),
    };
    store.put(&session(1, 10), &[], None).expect("memory does not fail");
    store.put(&session(2, 20), &[], Some(OperationId(1))).expect("memory does not fail");
    let stored = store.load(&session(1, 10).id).expect("memory does not fail");
    assert_eq!(stored.and_then(|stored| stored.expires), Some(Timestamp(20)));
    store.touch(&session(1, 10).id, Timestamp(5), Some(Timestamp(30))).expect("as above");
    let stored = store.load(&session(1, 10).id).expect("memory does not fail");
    let expires = stored.and_then(|stored| stored.expires);
    assert_eq!(expires, Some(Timestamp(30)), "a use at the same time counts");
    store.touch(&session(1, 10).id, Timestamp(4), Some(Timestamp(40))).expect("as above");
    let stored = store.load(&session(1, 10).id).expect("memory does not fail");
    let expires = stored.and_then(|stored| stored.expires);
    assert_eq!(expires, Some(Timestamp(30)), "an earlier use changes nothing");
}

#[test]
fn store_without_faults_passes() {
    let report = check_store(&FaultyStore::new(None));
    assert!(report.is_passed(), "the wrapper itself breaks no rule:\n{report}");
}

/// Each fault with the rule that must find it.
const FAULTS: &[(Fault, &str)] = &[
    (Fault::LoadsNothing, "load-returns-the-last-put"),
    (Fault::LoadsInOneThread, "load-from-any-thread"),
    (Fault::IgnoresCase, "sessions-are-separate"),
    (Fault::ReportsConflictsOnly, "put-stores-a-new-session"),
    (Fault::OverwritesAsNew, "put-keeps-an-existing-session"),
    (Fault::IgnoresExpected, "put-needs-the-expected-operation"),
    (Fault::StoresInConflict, "put-needs-the-expected-operation"),
    (Fault::CreatesWithExpected, "put-needs-an-existing-session"),
    (Fault::ComparesBeforeLocking, "put-race-has-one-winner"),
    (Fault::ForgetsOperations, "put-recognizes-its-operation"),
    (Fault::RemembersAllOperations, "put-forgets-overwritten-operations"),
    (Fault::SortsContents, "contents-are-returned-in-order"),
    (Fault::DropsUnknownContents, "contents-are-returned-in-order"),
    (Fault::ContentsPerSession, "contents-are-shared"),
    (Fault::DeletesSharedContents, "contents-stay-while-referred-to"),
    (Fault::ReplacesContents, "contents-stay-with-the-next-put"),
    (Fault::KeepsContents, "contents-go-with-the-last-session"),
    (Fault::KeepsReplacedContents, "contents-go-when-replaced"),
    (Fault::AcceptsMissingContents, "put-without-its-content-fails"),
    (Fault::StoresContentsFirst, "put-in-conflict-stores-no-content"),
    (Fault::TouchesNothing, "touch-records-the-last-use"),
    (Fault::TouchChangesOperation, "touch-changes-nothing-else"),
    (Fault::TouchMovesBack, "touch-never-moves-back"),
    (Fault::TouchAlwaysSucceeds, "touch-reports-a-missing-session"),
    (Fault::PutKeepsLastUse, "put-records-the-last-use"),
    (Fault::PutMovesBack, "put-never-moves-the-last-use-back"),
    (Fault::ExpiresOneLate, "expire-deletes-the-expired"),
    (Fault::ExpiresEverything, "expire-keeps-the-others"),
    (Fault::ExpiresNoneAlone, "expire-one-deletes-the-named"),
    (Fault::ExpiresByCreation, "expire-follows-the-last-use"),
    (Fault::ListIsUnordered, "list-is-ordered-and-limited"),
    (Fault::ListPagesByOffset, "list-pages-are-complete"),
    (Fault::ListShowsDeleted, "list-shows-each-session"),
    (Fault::DeletesNothing, "delete-removes-a-session"),
    (Fault::DeleteAlwaysSucceeds, "delete-reports-a-missing-session"),
    (Fault::DeleteIgnoresExpected, "delete-needs-the-expected-operation"),
    (Fault::DeletedComesBack, "deleted-sessions-stay-deleted"),
    (Fault::ExpiresWithoutTexts, "removed-sessions-have-their-texts"),
    (Fault::EvictsTheMostRecent, "evict-removes-the-least-recent"),
    (Fault::EvictsTheNamed, "evict-keeps-the-named-session"),
    (Fault::EvictsByCreation, "evict-follows-the-last-use"),
];

#[test]
fn each_fault_fails_its_rule() {
    for &(fault, rule) in FAULTS {
        let report = check_store(&FaultyStore::new(Some(fault)));
        let is_found = report.failures().any(|failure| failure == rule);
        assert!(is_found, "`{rule}` finds a store that has the fault {fault:?}:\n{report}");
    }
}

#[test]
fn each_rule_finds_a_fault() {
    let report = check_store(&MemoryStore::new());
    for rule in &report.rules {
        let is_tested = FAULTS.iter().any(|(_, finds)| *finds == rule.rule);
        assert!(is_tested, "a planted fault shows that `{}` can fail", rule.rule);
    }
}
