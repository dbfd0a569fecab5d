//! Tests of the store kit: the memory store passes it, and each planted fault fails the rule that
//! forbids it.

use std::sync::Arc;

use prowess_core::{OperationId, SessionId, SessionStore, StoredSession, Timestamp};
use prowess_session::MemoryStore;
use prowess_testkit::{check_store, rows};

use crate::faulty_store::FaultyStore;

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
fn faults() -> impl Iterator<Item = [String; 2]> {
    rows(include_str!("../data/faults.txt"), "sessions")
}

#[test]
fn each_fault_fails_its_rule() {
    for [fault, rule] in faults() {
        let report = check_store(&FaultyStore::new(Some(&fault)));
        let is_found = report.failures().any(|failure| failure == rule);
        assert!(is_found, "`{rule}` finds a store that has the fault {fault:?}:\n{report}");
    }
}

#[test]
fn each_rule_finds_a_fault() {
    let report = check_store(&MemoryStore::new());
    for rule in &report.rules {
        let is_tested = faults().any(|[_, finds]| finds == rule.rule);
        assert!(is_tested, "a planted fault shows that `{}` can fail", rule.rule);
    }
}
