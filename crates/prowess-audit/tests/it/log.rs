//! The log on disk: where it goes on, when it begins a new file, and when it refuses.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prowess_audit::{JsonLinesLog, LogError, LogOptions, verify};
use prowess_core::{AuditSink, DeactivationCause};

use crate::fixture::{Place, activated, deactivated, done, intent};

#[test]
fn reopened_log_goes_on() {
    let place = Place::new();
    let log = place.open();
    log.report(&activated());
    log.intend(&intent(1)).expect("there is room");
    let before = log.head();
    drop(log);
    let log = place.open();
    assert_eq!(log.head(), before);
    log.record(&done(1));
    log.report(&deactivated(DeactivationCause::Unloaded));
    let verified = verify(&place.path).expect("nothing was changed");
    assert_eq!((verified.entries, verified.head), (4, log.head()));
}

#[test]
fn log_is_private() {
    let place = Place::new();
    place.open();
    for name in place.names() {
        let path = place.directory.path().join(name);
        let mode = fs::metadata(&path).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
    }
}

#[test]
fn link_and_shared_file_are_refused() {
    let place = Place::new();
    let elsewhere = place.directory.path().join("elsewhere");
    fs::write(&elsewhere, "").expect("there is room");
    symlink(&elsewhere, &place.path).expect("there is room");
    assert!(matches!(place.try_open(LogOptions::default()), Err(LogError::Io(..))), "a link");
    fs::remove_file(&place.path).expect("it is there");
    fs::write(&place.path, "").expect("there is room");
    fs::set_permissions(&place.path, PermissionsExt::from_mode(0o666)).expect("it is ours");
    assert!(matches!(place.try_open(LogOptions::default()), Err(LogError::Io(..))), "shared");
}

#[test]
fn second_writer_is_refused() {
    let place = Place::new();
    let first = place.open();
    let error = place.try_open(LogOptions::default()).expect_err("the first one is open");
    assert!(matches!(error, LogError::InUse(_)), "{error}");
    drop(first);
    place.open();
}

#[test]
fn dropped_log_is_free_while_processes_start() {
    let place = Place::new();
    std::thread::scope(|scope| {
        let starting = scope.spawn(|| {
            for _ in 0..40 {
                let status = std::process::Command::new("true").status();
                assert!(status.expect("it is installed").success());
            }
        });
        while !starting.is_finished() {
            // A new process has copies of all open files until it runs its program.
            drop(place.open());
        }
    });
}

#[test]
fn full_file_is_renamed_and_the_chain_goes_on() {
    let place = Place::new();
    let options = || LogOptions { max_bytes: 2_000, ..LogOptions::default() };
    for start in [0, 10] {
        let log = place.try_open(options()).expect("the log can be opened");
        for call in start..start + 10 {
            log.intend(&intent(call)).expect("there is room");
        }
    }
    let verified = verify(&place.path).expect("nothing was changed");
    assert_eq!((verified.entries, verified.head.seq), (20, 20));
    assert!(verified.files > 3, "{:?}", place.names());
    let full = place.directory.path().join(&place.names()[1]);
    let text = fs::read_to_string(&full).expect("it is text");
    fs::write(&full, text + "torn").expect("there is room");
    assert!(verify(&place.path).is_err(), "only the last file may end with an unfinished line");
    fs::remove_file(full).expect("it is there");
    assert!(verify(&place.path).is_err(), "a full file is missing");
}

#[test]
fn old_file_is_renamed() {
    let place = Place::new();
    let max_age = Some(Duration::from_secs(60));
    let log = place.try_open(LogOptions { max_age, ..LogOptions::default() });
    let log = log.expect("the log can be opened");
    for call in 1..=4 {
        log.intend(&intent(call)).expect("there is room");
        place.clock.advance(Duration::from_secs(30));
    }
    assert_eq!(verify(&place.path).expect("nothing was changed").files, 2);
}

#[test]
fn rotation_that_stopped_halfway_goes_on() {
    let place = Place::new();
    let log = place.open();
    log.intend(&intent(1)).expect("there is room");
    let head = log.head();
    drop(log);
    let full = format!("{}.{:020}", place.path.display(), head.seq);
    fs::rename(&place.path, full).expect("it is there");
    assert_eq!(verify(&place.path).expect("nothing was changed").head, head);
    let log = place.open();
    assert_eq!(log.head(), head);
    log.intend(&intent(2)).expect("there is room");
    assert_eq!(verify(&place.path).expect("nothing was changed").entries, 2);
}

#[test]
fn unfinished_line_is_removed_and_marked() {
    let place = Place::new();
    let log = place.open();
    log.intend(&intent(1)).expect("there is room");
    let length = place.text().len();
    log.intend(&intent(2)).expect("there is room");
    drop(log);
    let text = place.text();
    for end in length + 1..text.len() {
        fs::write(&place.path, &text[..end]).expect("there is room");
        let log = place.open();
        assert_eq!(log.head().seq, 2, "one entry is left, and the mark follows it");
        drop(log);
        let verified = verify(&place.path).expect("it was repaired");
        assert_eq!((verified.entries, verified.torn_bytes), (2, 0));
        let mark = format!(
            "\"event\":\"log_repaired\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"removed_bytes\":{}",
            end - length
        );
        assert!(place.text().contains(&mark), "{}", place.text());
    }
}

#[test]
fn event_that_is_too_large_is_counted_as_lost() {
    let place = Place::new();
    let log = place.open();
    let mut large = done(1);
    large.error = Some("x".repeat(1 << 20));
    log.record(&large);
    log.intend(&intent(2)).expect("there is room");
    let text = place.text();
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.contains("\"event\":\"entries_lost\""), "{text}");
    assert_eq!(verify(&place.path).expect("the chain goes on").entries, 2);
}

#[test]
fn threads_share_the_chain() {
    const THREADS: u64 = 8;
    const CALLS: u64 = 50;
    let place = Place::new();
    let log: JsonLinesLog = place.open();
    let next = AtomicU64::new(1);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..CALLS {
                    let call = next.fetch_add(1, Ordering::Relaxed);
                    log.intend(&intent(call)).expect("there is room");
                    log.record(&done(call));
                }
            });
        }
    });
    let verified = verify(&place.path).expect("nothing was changed");
    assert_eq!(verified.entries, 2 * THREADS * CALLS);
    let text = place.text();
    for call in 1..=THREADS * CALLS {
        let needle = format!("\"call\":{call},");
        assert_eq!(text.matches(&needle).count(), 2, "call {call}: its intent and its outcome");
    }
}
