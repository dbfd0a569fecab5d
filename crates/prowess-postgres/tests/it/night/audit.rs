//! Tests of the chains of several hosts.

use std::sync::Arc;
use std::thread;

use prowess_audit::{Problem, Redactor};
use prowess_core::{AuditSink, PluginAction, PluginEvent, RuntimeEvent, Timestamp};
use prowess_postgres::{AuditProblem, Database, PostgresAudit};
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
    let logs = database.verify_audit().unwrap().into_iter();
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
    for (statement, seq, problem) in [
        (change, 2, Some(Problem::Changed)),
        (
            "DELETE FROM prowess.audit_line WHERE seq = 2",
            2,
            Some(Problem::Order { expected: 2, found: 3 }),
        ),
        (
            "UPDATE prowess.audit_line SET line = (SELECT line FROM prowess.audit_line WHERE seq = 1) \
          WHERE seq = 3",
            3,
            Some(Problem::Order { expected: 3, found: 1 }),
        ),
        ("DELETE FROM prowess.audit_line WHERE seq = 3", 0, None),
        ("UPDATE prowess.audit_head SET seq = 2", 0, None),
    ] {
        let url = server.database();
        let database = Arc::new(Database::open(&url).unwrap());
        let audit = PostgresAudit::new(Arc::clone(&database), "one", Redactor::default());
        (1..=3).for_each(|number| audit.report(&event(number)));
        assert_eq!(heads(&database), [("one".to_owned(), 3)]);
        server.query(&url, statement);
        let host = "one".to_owned();
        let expected = match problem {
            Some(problem) => AuditProblem::Broken { host, seq, problem },
            None => AuditProblem::Cut(host),
        };
        assert_eq!(database.verify_audit(), Err(expected), "{statement}");
    }
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
