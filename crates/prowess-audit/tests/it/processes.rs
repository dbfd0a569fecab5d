//! Two processes and one log.

use std::thread;

use prowess_audit::verify;
use prowess_core::AuditSink;

use crate::fixture::{Place, done, intent};
use crate::worker::{CALLS, run};

#[test]
fn second_process_is_refused_until_the_first_ends() {
    let place = Place::new();
    let log = place.open();
    log.intend(&intent(1)).expect("there is room");
    let reports = run(&place.path, &[]);
    let refusal =
        format!("closed: the audit log `{}` is in use by another process", place.path.display());
    assert_eq!(reports, [refusal]);
    log.intend(&intent(2)).expect("there is room");
    drop(log);
    assert_eq!(run(&place.path, &[]).len() as u64, CALLS, "then it writes");
    let entries = verify(&place.path).expect("one chain").entries;
    assert_eq!(entries, 2 + 2 * CALLS, "no number is missing, none is twice");
}

/// The number of events of each writer, unless `PROWESS_TEST_EVENTS` says otherwise.
const EVENTS: u64 = 1_000;

#[test]
fn eight_writers_have_one_chain_and_keep_the_log() {
    let events = std::env::var("PROWESS_TEST_EVENTS");
    let events = events.map_or(EVENTS, |events| events.parse().expect("a number"));
    let place = Place::new();
    let log = place.open();
    let reports = thread::scope(|scope| {
        for writer in 0..8 {
            let log = &log;
            scope.spawn(move || {
                (0..events).for_each(|number| log.record(&done(writer * events + number)));
            });
        }
        run(&place.path, &[])
    });
    assert!(reports.iter().all(|report| report.starts_with("closed: ")), "{reports:?}");
    drop(log);
    let verified = verify(&place.path).expect("one chain");
    assert_eq!([verified.entries, verified.head.seq], [8 * events; 2], "each event is there once");
    let text = place.text();
    let calls: std::collections::BTreeSet<_> =
        text.lines().filter_map(|line| line.split("\"call\":").nth(1)?.split(',').next()).collect();
    assert_eq!(calls.len() as u64, 8 * events, "no event is there twice");
}
