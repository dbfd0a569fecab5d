//! Tests of servers that stop, are killed, or whose answers are lost.

use std::fmt::Debug;
use std::sync::Arc;
use std::thread;

use prowess_audit::Redactor;
use prowess_core::{
    ApprovalQuery, ApprovalStoreExt, AuditSink, OperationId, PutOutcome, SessionStore, Spend,
    StoredContent, Timestamp,
};
use prowess_postgres::{Database, PostgresAudit};
use prowess_testkit::{CutProxy, PostgresServer};
use rustix::process::Signal;

use super::audit::event;
use super::samples::{approval_id, granted, id, session};

/// The number of changes of each thread while the server is killed.
const CHANGES: u64 = 100;

/// Repeats a call for as long as the database is unavailable.
fn repeated<T, E: ToString + Debug>(call: impl Fn() -> Result<T, E>) -> T {
    loop {
        match call() {
            Err(error) if error.to_string().contains("try again in") => thread::yield_now(),
            done => return done.unwrap(),
        }
    }
}

#[test]
fn stopped_server_fails_in_time_and_stores_once() {
    let server = PostgresServer::start();
    let database = Database::open(&server.database()).unwrap();
    database.put(&session(1, 1), &[], None).unwrap();
    server.signal(Signal::STOP);
    let put = || database.put(&session(1, 2), &[], Some(OperationId(1)));
    let error = put().unwrap_err().to_string();
    assert!(error.contains("does not answer in time; try again in 1 s"), "{error}");
    let error = database.load(&id(1)).unwrap_err().to_string();
    assert!(error.contains("did not answer just now"), "the next call does not wait: {error}");
    server.signal(Signal::CONT);
    repeated(put);
    assert_eq!(repeated(put), PutOutcome::AlreadyStored, "the operation is stored once");
    assert_eq!(database.load(&id(1)).unwrap(), Some(session(1, 2)));
}

#[test]
fn killed_server_loses_nothing_acknowledged() {
    let mut server = PostgresServer::start();
    let database = Database::open(&server.database()).unwrap();
    thread::scope(|scope| {
        for number in 0..4 {
            let database = &database;
            scope.spawn(move || {
                for change in 1..=CHANGES {
                    let expected = (change > 1).then(|| OperationId(change - 1));
                    let put = || database.put(&session(number, change), &[], expected);
                    assert_ne!(repeated(put), PutOutcome::Conflict, "nothing is lost");
                }
            });
        }
        for _ in 0..3 {
            server.kill();
            server.restart();
        }
    });
    for number in 0..4 {
        let stored = repeated(|| database.load(&id(number)));
        assert_eq!(stored, Some(session(number, CHANGES)), "each change is made once, in order");
    }
}

/// A call whose answer is lost has had its effect, and its repetition has no other.
#[test]
fn repeated_call_after_a_lost_answer_changes_nothing_twice() {
    let server = PostgresServer::start();
    let url = server.database();
    let direct = Arc::new(Database::open(&url).unwrap());
    let through = |proxy: &CutProxy| {
        let url = url.replace(&format!(":{}/", server.port()), &format!(":{}/", proxy.port));
        Database::open(&url).unwrap()
    };
    let text = StoredContent::new("text");
    let [mut first, mut second] = [session(1, 1), session(1, 2)];
    first.contents = vec![text.key()];
    second.contents.clone_from(&first.contents);
    for (mark, stored, expected) in
        [("COMMIT", &first, None), ("UPDATE 1", &second, Some(first.operation))]
    {
        let proxy = CutProxy::start(server.port(), mark);
        let database = through(&proxy);
        proxy.lose(1);
        let put = || database.put(stored, std::slice::from_ref(&text), expected);
        put().unwrap_err();
        assert_eq!(proxy.left(), 0, "the answer of `{mark}` is lost");
        assert_eq!(repeated(put), PutOutcome::AlreadyStored, "after `{mark}`");
        assert_eq!(direct.load(&id(1)).unwrap().as_ref(), Some(stored));
    }

    granted(&*direct, 1);
    let proxy = CutProxy::start(server.port(), "INSERT 0 1");
    let database = Arc::new(through(&proxy));
    let session = id(1);
    let query =
        ApprovalQuery { tool: "Bash", tenant: Some("acme"), session: &session, now: Timestamp(5) };
    let spend = |operation| database.spend(&approval_id(1), &query, OperationId(operation));
    spend(6).unwrap();
    granted(&*direct, 2);
    let spend = |operation| database.spend(&approval_id(2), &query, OperationId(operation));
    proxy.lose(1);
    spend(7).unwrap_err();
    assert_eq!(proxy.left(), 0, "the answer of the use is lost");
    assert_eq!(repeated(|| spend(8)), Spend::SpentByAnother, "another call cannot use it");
    assert_eq!(repeated(|| spend(7)), Spend::Allowed, "the call finds its own use");
    assert_eq!(direct.approvals_spent_twice().unwrap(), []);

    let audit = PostgresAudit::new(Arc::clone(&database), "one", Redactor::default());
    audit.report(&event(1));
    for (number, losses) in [(2, 1), (3, 1), (4, 0), (5, 1)] {
        proxy.lose(losses);
        audit.report(&event(number));
    }
    repeated(|| audit.store(&event(6)));
    assert_eq!(audit.lost(), 0);
    let logs = direct.verify_audit(&[]).unwrap();
    assert_eq!(logs[0].head.seq, 6, "each entry is stored once: {logs:?}");
}
