//! Tests of the tables' layout.

use std::sync::Barrier;
use std::thread;

use prowess_postgres::{Database, PostgresError};
use prowess_testkit::PostgresServer;

/// The number of hosts that start at once.
const HOSTS: usize = 8;

#[test]
fn racing_hosts_create_the_tables_once() {
    let server = PostgresServer::start();
    for _ in 0..8 {
        let (url, start) = (server.database(), Barrier::new(HOSTS));
        let open = || {
            start.wait();
            Database::open(&url).map(drop)
        };
        let opened: Vec<_> = thread::scope(|scope| {
            let hosts: Vec<_> = (0..HOSTS).map(|_| scope.spawn(open)).collect();
            hosts.into_iter().map(|host| host.join().unwrap()).collect()
        });
        assert!(opened.iter().all(Result::is_ok), "{opened:?}");
        assert_eq!(server.query(&url, "SELECT version FROM prowess.layout"), "2");
    }
    let url = server.database();
    drop(Database::open(&url).unwrap());
    let first = "ALTER TABLE prowess.layout DROP swept; UPDATE prowess.layout SET version = 1";
    for (statement, reason) in [
        (first, None),
        ("UPDATE prowess.layout SET version = 3", Some("use a newer program")),
        ("DELETE FROM prowess.layout", Some("has no version: restore it from a backup")),
    ] {
        server.query(&url, statement);
        let opened = Database::open(&url).map(drop).map_err(|error| error.to_string());
        match reason {
            None => assert_eq!(opened, Ok(()), "tables of an earlier version are used"),
            Some(reason) => assert!(opened.unwrap_err().ends_with(reason), "{statement}"),
        }
    }
}

#[test]
fn unusable_database_is_not_opened() {
    let server = PostgresServer::start();
    let url = server.database();
    let create = "CREATE DATABASE latin ENCODING LATIN1 TEMPLATE template0 LOCALE 'C'";
    server.query(&url, create);
    let latin = format!("{}/latin", url.rsplit_once('/').unwrap().0);
    let error = Database::open(&latin).unwrap_err();
    assert!(matches!(error, PostgresError::Refused(_)), "{error}");
    assert!(error.to_string().contains("is LATIN1; create one by `createdb -E UTF8"), "{error}");
    let error = Database::open(&url.replace("postgres@", "nobody@")).unwrap_err();
    assert!(matches!(error, PostgresError::Denied(_)), "{error}");
}
