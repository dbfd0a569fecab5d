//! Durable turns beside the bare statements of `pgbench`, in the same run. The ratio is printed,
//! and not checked, because it depends on the machine.

use std::process::Command;
use std::thread;
use std::time::Instant;

use prowess_core::{OperationId, SessionStore};
use prowess_postgres::Database;
use prowess_testkit::PostgresServer;

use super::samples::{id, session};

const CLIENTS: u64 = 8;

/// The number of turns of each client.
const TURNS: u64 = 500;

/// The statements of a turn: it reads the session, and stores the next one.
const SCRIPT: &str = include_str!("../../data/throughput-script.txt");

#[test]
fn durable_turns_beside_bare_statements() {
    let server = PostgresServer::start();
    let url = server.database();
    let database = Database::open(&url).unwrap();
    for number in 1..=CLIENTS {
        database.put(&session(number, 1), &[], None).unwrap();
    }
    let begun = Instant::now();
    thread::scope(|scope| {
        for number in 1..=CLIENTS {
            let database = &database;
            scope.spawn(move || {
                for turn in 1..=TURNS {
                    let stored = database.load(&id(number)).unwrap().unwrap();
                    assert_eq!(stored.operation, OperationId(turn));
                    database.put(&session(number, turn + 1), &[], Some(stored.operation)).unwrap();
                }
            });
        }
    });
    let turns = (CLIENTS * TURNS) as f64 / begun.elapsed().as_secs_f64();
    let bare = bare_statements(&server, &url);
    println!("{turns:.0} durable turns/s, {bare:.0} bare statements/s: ratio {:.2}", turns / bare);
}

/// Returns the number of such transactions that `pgbench` makes in a second.
fn bare_statements(server: &PostgresServer, url: &str) -> f64 {
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("turn.sql");
    std::fs::write(&script, SCRIPT).unwrap();
    let mut pgbench = Command::new("pgbench");
    pgbench.args(["-n", "-M", "prepared", "-c", "8", "-j", "2", "-t", "500", "-U", "postgres"]);
    pgbench.args(["-h", "127.0.0.1", "-p", &server.port().to_string(), "-f"]).arg(script);
    let output = pgbench.arg(url.rsplit_once('/').unwrap().1).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let tps = text.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next());
    tps.unwrap_or_else(|| panic!("{output:?}")).parse().unwrap()
}
