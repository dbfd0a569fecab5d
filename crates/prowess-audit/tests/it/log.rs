//! The log on disk: where it goes on, when it begins a new file, and when it refuses.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use prowess_audit::{
    AuditEntry, Durability, JsonLinesLog, LogError, LogOptions, MemoryLog, verify,
};
use prowess_core::{AuditEvent, AuditSink};

use prowess_testkit::without_sync;

use crate::fixture::{Place, activated, done, intent};
use crate::worker::whole;

#[test]
fn log_and_its_directory_are_private() {
    let place = Place::new();
    let directory = place.directory.path().join("logs");
    let inner = Place { path: directory.join("audit.jsonl"), ..place };
    inner.open();
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&directory), 0o700);
    for name in ["audit.jsonl", "audit.jsonl.lock"] {
        assert_eq!(mode(&directory.join(name)), 0o600, "{name}");
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

/// The current file is there or is taken away, with full ones left or not, and with the lock; and
/// another program begins the new log or not.
#[test]
fn writers_continue_one_chain_or_a_new_one() {
    for case in 0..16 {
        let [is_gone, leaves_full, takes_lock, has_other] = [1, 2, 4, 8].map(|bit| case & bit > 0);
        let place = Place::new();
        let max_bytes = if leaves_full { 1 } else { u64::MAX };
        let log = place.open_with(LogOptions { max_bytes, ..LogOptions::default() });
        let intend = |log: &JsonLinesLog, call| log.intend(&intent(call)).expect("there is room");
        (1..=3).for_each(|call| intend(&log, call));
        let last = log.head();
        place.clock.advance(Duration::from_secs(1));
        let remove = |name| fs::remove_file(place.directory.path().join(name));
        if is_gone {
            remove("audit.jsonl").expect("it is there");
        }
        if takes_lock {
            remove("audit.jsonl.lock").expect("it is there");
        }
        let other = has_other.then(|| place.open());
        other.iter().for_each(|other| intend(other, 4));
        intend(&log, 5);
        other.iter().for_each(|other| intend(other, 6));
        let verified = verify(&place.path).unwrap_or_else(|error| panic!("{case}: {error}"));
        let text = whole(&place);
        let marks = text.matches(&format!("\"head\":\"{last}\"")).count();
        assert_eq!(marks, usize::from(is_gone), "{case}: {text}");
        let calls = text.matches("tool_call_intended").count();
        let left = [[3, 3], [0, 2]][usize::from(is_gone)][usize::from(leaves_full)];
        assert_eq!(calls, left + if has_other { 3 } else { 1 }, "{case}: {text}");
        assert_eq!(verified.entries, (calls + marks) as u64, "{case}: {text}");
        without_sync(|| drop(log.intend(&intent(7)).expect_err("it is not on disk")));
    }
}

/// Another program was stopped in the middle of an entry.
#[test]
fn writer_does_not_wait_forever() {
    let place = Place::new();
    let log = place.open();
    log.intend(&intent(1)).expect("there is room");
    let lock = fs::File::open(place.directory.path().join("audit.jsonl.lock")).expect("it exists");
    lock.lock().expect("no other writer has it now");
    let error = log.intend(&intent(2)).expect_err("the log stays locked");
    assert!(error.to_string().contains("another program keeps it locked"), "{error}");
    log.record(&done(2));
    assert_eq!(log.lost(), 2);
    assert!(matches!(place.try_open(LogOptions::default()), Err(LogError::Io(..))));
    assert_eq!(verify(&place.path).expect("it can be read").entries, 1);
    drop(lock);
    log.intend(&intent(3)).expect("it is free again");
    assert_eq!((log.lost(), verify(&place.path).expect("one chain").entries), (0, 3));
}

/// What the other writer wrote is part of an entry, or a whole one that was changed.
#[test]
fn running_writer_repairs_or_refuses_the_end_of_another() {
    let ended = |change: &dyn Fn(&str, &str) -> String| {
        let place = Place::new();
        let log = place.open();
        log.intend(&intent(1)).expect("there is room");
        let before = place.text();
        place.open().intend(&intent(2)).expect("there is room");
        let changed = change(&before, &place.text()[before.len()..]);
        fs::write(&place.path, before + &changed).expect("there is room");
        let result = log.intend(&intent(3));
        (place, result)
    };
    for percent in [1, 30, 99] {
        let cut = |line: &str| line[..line.len() * percent / 100].to_owned();
        let (place, result) = ended(&|_, added| cut(added));
        result.expect("the end is repaired");
        verify(&place.path).expect("one chain");
        let text = place.text();
        let quoted = text.split("\"removed\":\"").nth(1).expect("there is a mark");
        assert!(quoted.starts_with(r#"{\"seq\":2"#) || percent == 1, "{text}");
    }
    let changed = |_: &str, added: &str| added.replace("\"call\":2", "\"call\":7") + "torn";
    let (place, result) = ended(&changed);
    result.expect_err("the last whole line was changed");
    verify(&place.path).expect_err("nothing has removed it");
}

/// A log that is cut while a program writes it has a gap.
#[test]
fn end_that_was_cut_off_is_missing() {
    let place = Place::new();
    let log = place.open();
    (1..=3).for_each(|call| log.intend(&intent(call)).expect("there is room"));
    let text = place.text();
    let first = text.split_inclusive('\n').next().expect("it has lines");
    let cut = || fs::write(&place.path, first).expect("there is room");
    let replaced = || {
        fs::remove_file(&place.path).expect("it is there");
        cut();
    };
    for change in [&cut as &dyn Fn(), &replaced] {
        change();
        log.intend(&intent(4)).expect("there is room");
        let error = verify(&place.path).expect_err("entries are missing").to_string();
        assert!(error.contains("entries were removed"), "{error}");
        fs::write(&place.path, &text).expect("there is room");
    }
}

#[test]
fn text_that_no_editor_shows_is_escaped() {
    let place = Place::new();
    let log = place.open();
    let error = "a\u{202e}b\u{2028}c\u{200b}d\u{e0041}".to_owned();
    log.record(&AuditEvent { error: Some(error), ..done(1) });
    let text = place.text();
    assert!(text.contains(r"a\u202eb\u2028c\u200bd\udb40\udc41"), "{text}");
    verify(&place.path).expect("the chain is over what is written");
}

#[test]
fn full_file_is_renamed_and_the_chain_goes_on() {
    let place = Place::new();
    let options = || LogOptions { max_bytes: 2_000, ..LogOptions::default() };
    for start in [0, 10] {
        let log = place.open_with(options());
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
fn old_file_is_renamed_unless_it_is_empty() {
    let place = Place::new();
    let max_age = Some(Duration::from_secs(60));
    let log = place.open_with(LogOptions { max_age, ..LogOptions::default() });
    place.clock.advance(Duration::from_secs(60));
    let mut files = Vec::new();
    for call in 1..=4 {
        log.intend(&intent(call)).expect("there is room");
        files.push(verify(&place.path).expect("nothing was changed").files);
        place.clock.advance(Duration::from_secs(30));
    }
    assert_eq!(files, [1, 2, 2, 3], "a file of exactly this age is old");
}

#[test]
fn file_of_the_largest_size_is_full() {
    let files = |max_bytes| {
        let place = Place::new();
        let log = place.open_with(LogOptions { max_bytes, ..LogOptions::default() });
        log.intend(&intent(1)).expect("there is room");
        let length = fs::metadata(&place.path).expect("it is there").len();
        log.intend(&intent(2)).expect("there is room");
        (length, verify(&place.path).expect("nothing was changed").files)
    };
    let (length, one) = files(u64::MAX);
    assert_eq!(one, 1, "there is room");
    assert_eq!(files(length), (length, 2), "nothing is added to a file of the largest size");
    assert_eq!(files(length + 1), (length, 1), "a byte less is not full");
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
fn rotation_that_fails_overwrites_nothing() {
    let place = Place::new();
    let log = place.open_with(LogOptions { max_bytes: 1, ..LogOptions::default() });
    log.intend(&intent(1)).expect("there is room");
    let before = place.text();
    let full = place.directory.path().join(format!("audit.jsonl.{:020}", 1));
    fs::create_dir(&full).expect("there is room");
    log.intend(&intent(2)).expect_err("its name is taken");
    assert_eq!(place.text(), before);
    fs::remove_dir(&full).expect("it is empty");
    log.intend(&intent(2)).expect("the name is free again");
    let entries = verify(&place.path).expect("the chain goes on").entries;
    assert_eq!(entries, 3, "the entry that was lost is counted");
}

/// An earlier attempt, of this writer or of one before, has renamed the file and not created the
/// next one.
#[test]
fn rotation_goes_on_behind_its_rename() {
    for is_reopened in [false, true] {
        let place = Place::new();
        let options = || LogOptions { max_bytes: 1, ..LogOptions::default() };
        let mut log = place.open_with(options());
        log.intend(&intent(1)).expect("there is room");
        let full = place.directory.path().join(format!("audit.jsonl.{:020}", 1));
        fs::rename(&place.path, full).expect("the name is free");
        assert_eq!(verify(&place.path).expect("nothing was changed").head, log.head());
        if is_reopened {
            log = place.open_with(options());
        }
        log.intend(&intent(2)).expect("there is room");
        let verified = verify(&place.path).expect("the chain goes on");
        assert_eq!((verified.entries, verified.files), (2, 2));
    }
}

#[test]
fn files_with_similar_names_are_of_no_log() {
    let place = Place::new();
    place.open().intend(&intent(1)).expect("there is room");
    for suffix in ["1", "backup-of-yesterday1", "000000000000000000001", "0000000000000000000a"] {
        let name = format!("audit.jsonl.{suffix}");
        fs::write(place.directory.path().join(name), "x").expect("there is room");
    }
    let verified = verify(&place.path).expect("the others are not read");
    assert_eq!((verified.entries, verified.files), (1, 1));
}

/// Returns an outcome whose error has this many bytes.
fn with_error(call: u64, bytes: usize) -> AuditEvent {
    AuditEvent { error: Some("x".repeat(bytes)), ..done(call) }
}

#[test]
fn longest_line_is_written_and_read() {
    let place = Place::new();
    let log = place.open();
    log.record(&with_error(1, 1));
    let rest = place.text().len() - 1;
    let longest = (1 << 20) - rest;
    for (bytes, entries) in [(longest, 2), (longest + 1, 2)] {
        log.record(&with_error(2, bytes));
        let verified = verify(&place.path).expect("nothing was changed");
        assert_eq!(verified.entries, entries, "an error of {bytes} bytes");
    }
    drop(log);
    let log = place.open();
    assert_eq!(log.head().seq, 2, "it is read from the end, too");
    log.record(&with_error(3, longest + 1));
    log.intend(&intent(4)).expect("there is room");
    assert_eq!(place.text().matches("\"event\":\"entries_lost\"").count(), 1, "it is counted");
}

#[test]
fn long_line_in_front_of_an_unfinished_one_is_found() {
    let place = Place::new();
    let log = place.open();
    log.record(&with_error(1, 700_000));
    log.record(&with_error(2, 700_000));
    drop(log);
    let text = place.text();
    fs::write(&place.path, &text[..text.len() - 1]).expect("there is room");
    assert_eq!(place.open().head().seq, 2, "one entry is left, and the mark follows it");
}

#[test]
fn only_intents_wait_for_the_disk() {
    let place = Place::new();
    let log = place.open();
    log.intend(&intent(1)).expect("there is room");
    without_sync(|| log.record(&done(1)));
    log.sync().expect("the disk is there");
    log.intend(&intent(2)).expect("an outcome that is not on disk yet is no failure");
    without_sync(|| {
        log.record(&done(2));
        log.sync().expect_err("the outcome is not on disk");
        log.intend(&intent(3)).expect_err("what the disk has is unknown");
    });
    assert_eq!(log.head().seq, 4, "nothing is written after the failure");
}

/// A power failure damages no more than the next writer repairs.
#[test]
fn mebibyte_of_events_is_not_left_unsynced() {
    let place = Place::new();
    let log = place.open();
    let event = AuditEvent { error: Some("long ".repeat(20_000)), ..done(1) };
    without_sync(|| {
        for number in 1..=20 {
            log.record(&event);
            let stored = log.head().seq;
            assert!(stored == number || stored == 11, "{stored} of {number} events are stored");
        }
        log.intend(&intent(2)).expect_err("what the disk has is unknown");
    });
    assert_eq!(log.head().seq, 11, "the sync of the first mebibyte fails");
}

#[test]
fn intents_need_no_disk_where_the_host_says_so() {
    let place = Place::new();
    let options = LogOptions { durability: Durability::System, ..LogOptions::default() };
    let log = place.open_with(options);
    without_sync(|| log.intend(&intent(1)).expect("the system has it"));
    log.intend(&intent(2)).expect("the system has it");
}

#[test]
fn memory_keeps_the_newest_entries() {
    let log = MemoryLog::new(2);
    log.intend(&intent(1)).expect("memory");
    log.record(&done(1));
    log.report(&activated());
    let expected = [AuditEntry::Call(done(1)), AuditEntry::Runtime(activated())];
    assert_eq!(log.entries(), expected, "the oldest went");
    log.intend(&intent(2)).expect("memory");
    assert_eq!(log.entries()[1], AuditEntry::Intent(intent(2)));
}
