//! A writer that is killed, or whose disk fails, at any system call, by `strace`.

use std::fs;

use prowess_audit::verify;
use prowess_core::AuditSink;

use crate::fixture::{Place, intent};
use crate::worker::{CALLS, run, stored, whole};

/// Kills a worker beside another writer, which goes on, and checks what is left. Returns whether it
/// was killed before its last call.
fn check_killed(place: &Place, fault: &str) -> bool {
    let running = place.open();
    running.intend(&intent(100)).expect("there is room");
    let reports = run(&place.path, &[fault.to_owned()]);
    let stored = stored(&reports);
    let verified = verify(&place.path).unwrap_or_else(|error| panic!("{fault}: {error}"));
    assert!(verified.torn_bytes < 1_000, "{fault}: at most one line is unfinished");
    running.intend(&intent(101)).unwrap_or_else(|error| panic!("{fault}: {error}"));
    // A new writer continues, too.
    place.open().intend(&intent(102)).expect("there is room");
    let verified = verify(&place.path).unwrap_or_else(|error| panic!("{fault}: {error}"));
    assert_eq!(verified.torn_bytes, 0, "{fault}: the end was repaired");
    let text = whole(place);
    for call in stored.iter().copied().chain(100..=102) {
        let intent = format!("\"call\":{call},");
        assert!(text.contains(&intent), "{fault}: call {call} was stored and is missing");
    }
    (stored.len() as u64) < CALLS
}

#[test]
fn killed_writer_loses_nothing_that_it_stored() {
    let mut kills = 0;
    // Every system call of an append, with those that open a log and begin a new file.
    for call in ["flock", "statx", "pread64", "pwrite64", "fdatasync", "fsync", "rename", "openat"]
    {
        let fault = |number| format!("{call}:signal=KILL:when={number}");
        let number = (1..).find(|number| !check_killed(&Place::new(), &fault(*number)));
        let killed = number.expect("a worker ends") - 1;
        assert!(killed > 0, "{call} was reached");
        kills += killed;
    }
    println!("a writer was killed at {kills} system calls");
}

#[test]
fn killed_repair_is_repeated() {
    for call in ["ftruncate", "fdatasync", "pwrite64", "fsync"] {
        let place = Place::new();
        run(&place.path, &[]);
        let text = place.text();
        fs::write(&place.path, &text[..text.len() - 20]).expect("there is room");
        let fault = format!("{call}:signal=KILL:when=1");
        let reports = run(&place.path, std::slice::from_ref(&fault));
        assert!((stored(&reports).len() as u64) < CALLS, "{call} was reached");
        place.open().intend(&intent(100)).expect("there is room");
        verify(&place.path).unwrap_or_else(|error| panic!("{fault}: {error}"));
        let marks = whole(&place).matches("log_repaired").count();
        assert_eq!(marks, 1, "{call}: the end is removed with a mark");
    }
}

#[test]
fn full_disk_fails_each_intent_until_there_is_room() {
    let place = Place::new();
    let reports = run(&place.path, &["pwrite64:error=ENOSPC:when=3..4".to_owned()]);
    let full = "the audit cannot be written: No space left on device (os error 28)";
    let expected = [
        "stored 1".to_owned(),
        format!("failed 2: {full}"),
        format!("failed 3: {full}"),
        "stored 4".to_owned(),
        "stored 5".to_owned(),
        "stored 6".to_owned(),
    ];
    assert_eq!(reports, expected);
    let text = whole(&place);
    assert!(
        text.contains(
            "\"event\":\"entries_lost\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"count\":2"
        ),
        "{text}"
    );
    assert_eq!(verify(&place.path).expect("the chain goes on").entries, 9);
}

/// A signal interrupts a call, which then has done nothing and is made again.
#[test]
fn interrupted_writer_stores_every_call() {
    for call in ["open", "openat", "flock", "pwrite64", "fdatasync", "fsync"] {
        // The first directory that is opened is listed before there is a log to write to.
        let first = if call == "openat" { 2 } else { 1 };
        for number in [first, 3, 4, 5, 8] {
            let place = Place::new();
            let fault = format!("{call}:error=EINTR:when={number}");
            let reports = run(&place.path, std::slice::from_ref(&fault));
            assert_eq!(stored(&reports), [1, 2, 3, 4, 5, 6], "{fault}: {reports:?}");
            let verified = verify(&place.path).unwrap_or_else(|error| panic!("{fault}: {error}"));
            assert_eq!((verified.entries, verified.torn_bytes), (2 * CALLS, 0), "{fault}");
        }
    }
}

/// Starting another file is part of a call, which fails as a whole.
#[test]
fn interrupted_rename_fails_its_call_alone() {
    let place = Place::new();
    let reports = run(&place.path, &["rename:error=EINTR:when=1".to_owned()]);
    let failed = "failed 3: the audit cannot be written: Interrupted system call (os error 4)";
    assert!(reports.contains(&failed.to_owned()), "{reports:?}");
    assert_eq!(stored(&reports), [1, 2, 4, 5, 6]);
    assert_eq!(verify(&place.path).expect("the chain goes on").entries, 2 * (CALLS - 1) + 1);
}

#[test]
fn interrupted_repair_is_made_again() {
    for call in ["ftruncate", "fdatasync", "pwrite64", "fsync"] {
        let place = Place::new();
        run(&place.path, &[]);
        let text = place.text();
        fs::write(&place.path, &text[..text.len() - 20]).expect("there is room");
        let fault = format!("{call}:error=EINTR:when=1");
        let reports = run(&place.path, std::slice::from_ref(&fault));
        assert_eq!(stored(&reports), [1, 2, 3, 4, 5, 6], "{fault}: {reports:?}");
        verify(&place.path).unwrap_or_else(|error| panic!("{fault}: {error}"));
        assert_eq!(whole(&place).matches("log_repaired").count(), 1, "{fault}");
    }
}

#[test]
fn outcome_that_is_not_written_is_counted() {
    let place = Place::new();
    let reports = run(&place.path, &["pwrite64:error=ENOSPC:when=2".to_owned()]);
    assert_eq!(stored(&reports), [1, 2, 3, 4, 5, 6], "each intent was written");
    let text = whole(&place);
    let lost = text.lines().filter(|line| line.contains("\"event\":\"entries_lost\""));
    let lost: Vec<_> = lost.collect();
    assert_eq!(lost.len(), 1, "{text}");
    assert!(lost[0].contains("\"count\":1"), "{}", lost[0]);
    verify(&place.path).expect("the chain goes on");
}

#[test]
fn failed_sync_ends_the_log() {
    let place = Place::new();
    let reports = run(&place.path, &["fdatasync:error=EIO:when=2".to_owned()]);
    assert_eq!(reports[0], "stored 1");
    let failed = "the audit cannot be written: Input/output error (os error 5)";
    for (report, call) in reports[1..].iter().zip(2..) {
        assert_eq!(*report, format!("failed {call}: {failed}"), "what the disk has is unknown");
    }
    assert_eq!(reports.len() as u64, CALLS);
    verify(&place.path).expect("what was written is whole");
    let text = whole(&place);
    assert!(!text.contains("\"call\":3"), "nothing is written after the failure: {text}");
}
