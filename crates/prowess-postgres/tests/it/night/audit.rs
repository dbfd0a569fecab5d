//! Tests of the chains of several hosts.

use std::sync::Arc;
use std::thread;

use prowess_audit::{Problem, Redactor};
use prowess_core::{AuditSink, PluginAction, PluginEvent, RuntimeEvent, Timestamp};
use prowess_postgres::{AuditProblem, Database, HostLog, PostgresAudit};
use prowess_testkit::PostgresServer;

/// The number of entries of each thread.
const ENTRIES: u64 = 50;

pub(super) fn event(number: u64) -> RuntimeEvent {
    RuntimeEvent::Plugin(PluginEvent {
        at: Timestamp(number),
        action: PluginAction::Opened,
        plugin: format!("plugin-{number}"),
        digest: None,
        error: None,
    })
}

fn heads(database: &Database) -> Vec<(String, u64)> {
    let logs = database.verify_audit(&[]).unwrap().into_iter();
    logs.map(|log| (log.host, log.head.seq)).collect()
}

#[test]
fn programs_of_one_host_continue_one_chain() {
    let server = PostgresServer::start();
    let url = server.database();
    let open = |host| {
        let database = Arc::new(Database::open(&url).unwrap());
        PostgresAudit::new(database, host, Redactor::default())
    };
    let audits = [open("one"), open("one"), open("two")];
    thread::scope(|scope| {
        for audit in &audits {
            for _ in 0..4 {
                scope.spawn(move || {
                    (0..ENTRIES).for_each(|number| audit.store(&event(number)).unwrap());
                });
            }
        }
    });
    let database = Database::open(&url).unwrap();
    let expected = [("one".to_owned(), 8 * ENTRIES), ("two".to_owned(), 4 * ENTRIES)];
    assert_eq!(heads(&database), expected, "each entry is stored once");
}

#[test]
fn changed_chain_is_found() {
    let server = PostgresServer::start();
    let change = "UPDATE prowess.audit_line SET line = replace(line, '\"timestamp\"', '\"time\"') \
                  WHERE seq = 2";
    let broken =
        |seq, problem| move |kept: HostLog| AuditProblem::Broken { host: kept.host, seq, problem };
    let order = |seq, found| broken(seq, Problem::Order { expected: seq, found });
    let (cut, missing) = (|kept: HostLog| AuditProblem::Cut(kept.host), AuditProblem::HeadMissing);
    type Case<'c> = (&'c str, &'c dyn Fn(HostLog) -> AuditProblem);
    let cases: [Case<'_>; 10] = [
        (change, &broken(2, Problem::Changed)),
        ("DELETE FROM prowess.audit_line WHERE seq = 2", &order(2, 3)),
        (
            "UPDATE prowess.audit_line SET line = (SELECT line FROM prowess.audit_line WHERE seq = 1) \
          WHERE seq = 3",
            &order(3, 1),
        ),
        ("DELETE FROM prowess.audit_line WHERE seq = 3", &cut),
        ("UPDATE prowess.audit_head SET hash = 'sha256:00'", &cut),
        (
            "UPDATE prowess.audit_line SET hash = 'sha256:00' WHERE seq = 2",
            &broken(2, Problem::Changed),
        ),
        (
            "INSERT INTO prowess.audit_line VALUES ('one', 9, 'x', '{}')",
            &broken(4, Problem::Changed),
        ),
        (
            "UPDATE prowess.audit_head SET (seq, hash) = (SELECT seq, hash FROM prowess.audit_line WHERE seq = 2)",
            &|kept| AuditProblem::Added(kept.host),
        ),
        // Only the kept head shows the rest.
        (
            "UPDATE prowess.audit_head SET (seq, hash) = (SELECT seq, hash FROM prowess.audit_line WHERE seq = 2); \
             DELETE FROM prowess.audit_line WHERE seq = 3",
            &missing,
        ),
        ("DELETE FROM prowess.audit_line; DELETE FROM prowess.audit_head", &missing),
    ];
    for (statement, problem) in cases {
        let url = server.database();
        let database = Arc::new(Database::open(&url).unwrap());
        let audit = PostgresAudit::new(Arc::clone(&database), "one", Redactor::default());
        (1..=3).for_each(|number| audit.report(&event(number)));
        assert_eq!(heads(&database), [("one".to_owned(), 3)]);
        let kept = database.verify_audit(&[]).unwrap();
        audit.report(&event(4));
        assert!(database.verify_audit(&kept).is_ok(), "a head that was the last one before");
        server.query(&url, "DELETE FROM prowess.audit_line WHERE seq = 4; UPDATE prowess.audit_head \
                            SET (seq, hash) = (SELECT seq, hash FROM prowess.audit_line WHERE seq = 3)");
        server.query(&url, statement);
        let expected = problem(kept[0].clone());
        assert_eq!(database.verify_audit(&kept), Err(expected), "{statement}");
    }
}

/// An entry that the database does not take costs itself alone.
#[test]
fn refused_entry_leaves_a_note() {
    let mut server = PostgresServer::start();
    let url = server.database();
    let database = Arc::new(Database::open(&url).unwrap());
    let audit = PostgresAudit::new(Arc::clone(&database), "one", Redactor::default());
    server.query(&url, "ALTER TABLE prowess.audit_line ADD CHECK (line NOT LIKE '%plugin-2%')");
    (1..=3).for_each(|number| audit.report(&event(number)));
    let error = audit.store(&event(2)).unwrap_err().to_string();
    assert!(error.contains("the database refuses"), "its caller gets the error: {error}");
    assert_eq!((heads(&database), audit.lost()), (vec![("one".to_owned(), 4)], 2));
    let select = "SELECT seq FROM prowess.audit_line WHERE line LIKE '%entries_lost%' ORDER BY seq";
    assert_eq!(server.query(&url, select), "2\n4", "a note in each one's place");

    server.query(&url, "ALTER TABLE prowess.audit_line RENAME TO away");
    (5..=6).for_each(|number| audit.report(&event(number)));
    audit.store(&event(7)).unwrap_err();
    server.query(&url, "ALTER TABLE prowess.away RENAME TO audit_line");
    assert_eq!(audit.finish(), 2, "what waited is stored at the end");
    assert_eq!(heads(&database), [("one".to_owned(), 6)], "no entry was to blame");

    server.kill();
    (0..1_025).for_each(|_| audit.report(&event(1)));
    assert_eq!(audit.finish(), 2 + 1_025, "what cannot be stored at the end is counted");
    server.restart();
    while audit.store(&event(1)).is_err() {
        thread::yield_now();
    }
    assert_eq!(server.query(&url, select).lines().count(), 3, "so is what was too much to wait");
}

#[test]
fn entries_wait_for_a_database_that_is_away_and_intents_fail() {
    let mut server = PostgresServer::start();
    let database = Arc::new(Database::open(&server.database()).unwrap());
    let audit = PostgresAudit::new(Arc::clone(&database), "one", Redactor::default());
    audit.store(&event(1)).unwrap();
    server.kill();
    (2..=4).for_each(|number| audit.report(&event(number)));
    let error = audit.store(&event(5)).unwrap_err().to_string();
    assert!(error.contains("unavailable") && error.contains("try again in 1 s"), "{error}");
    server.restart();
    while audit.store(&event(6)).is_err() {
        thread::yield_now();
    }
    assert_eq!(heads(&database), [("one".to_owned(), 5)], "what was refused is not recorded");
    assert_eq!(audit.lost(), 0);
}
