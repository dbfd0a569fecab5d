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
        assert_eq!(server.query(&url, "SELECT version FROM prowess.layout"), "1");
    }
    let url = server.database();
    drop(Database::open(&url).unwrap());
    server.query(&url, "UPDATE prowess.layout SET version = 2");
    let error = Database::open(&url).unwrap_err();
    assert!(matches!(error, PostgresError::Refused(_)), "{error}");
    assert!(error.to_string().contains("use a newer program"), "{error}");
}
