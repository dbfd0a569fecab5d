//! Several processes and one log.

use std::process::{Child, Stdio};
use std::thread;

use prowess_audit::verify;
use prowess_core::AuditSink;

use crate::fixture::{Place, done, intent};
use crate::worker::{EVENTS, command, whole};

/// The number of writers at once.
const WRITERS: u64 = 8;

/// The calls of each writer, unless `PROWESS_TEST_EVENTS` says otherwise.
const CALLS: u64 = 40;

fn calls() -> u64 {
    let calls = std::env::var(EVENTS);
    calls.map_or(CALLS, |calls| calls.parse().expect("a number"))
}

#[test]
fn eight_processes_write_one_chain() {
    let place = Place::new();
    let start = |_| {
        let mut command = command(&place.path);
        command.env(EVENTS, calls().to_string()).stdout(Stdio::null());
        command.spawn().expect("the test starts itself")
    };
    let mut workers: Vec<Child> = (0..WRITERS).map(start).collect();
    // A reader sees whole entries of an unbroken chain meanwhile.
    let mut last = 0;
    while workers.iter_mut().any(|worker| worker.try_wait().expect("it is a child").is_none()) {
        // The first writer may create the log right after this.
        let exists = place.path.exists();
        match verify(&place.path) {
            Ok(verified) => {
                assert!(verified.entries >= last && verified.torn_bytes == 0, "{verified:?}");
                last = verified.entries;
            }
            Err(error) => assert!(!exists, "{error:?}"),
        }
    }
    let verified = verify(&place.path).expect("one chain");
    let entries = 2 * WRITERS * calls();
    assert_eq!([verified.entries, verified.head.seq], [entries; 2], "each event is there once");
    assert!(verified.files > 1, "writers follow each other into a new file");
    let needle = format!("\"call\":{},", calls());
    assert_eq!(whole(&place).matches(&needle).count() as u64, 2 * WRITERS, "no writer stopped");
}

#[test]
fn eight_threads_write_beside_a_process() {
    let place = Place::new();
    let log = place.open();
    log.intend(&intent(1)).expect("there is room");
    let mut other = command(&place.path).stdout(Stdio::null()).spawn().expect("it starts itself");
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let log = &log;
            scope.spawn(move || {
                for call in (0..50).map(|number| 1_000 + writer * 50 + number) {
                    log.intend(&intent(call)).expect("there is room");
                    log.record(&done(call));
                }
            });
        }
    });
    assert!(other.wait().expect("it is a child").success());
    drop(log);
    let verified = verify(&place.path).expect("one chain");
    let calls = WRITERS * 50 + crate::worker::CALLS;
    assert_eq!(verified.entries, 1 + 2 * calls, "each event is there once");
}
