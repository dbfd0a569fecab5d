//! A log whose entries were changed, removed, inserted or moved.

use std::fs;

use prowess_audit::{Head, LogError, LogOptions, VerifyError, verify, verify_against};
use prowess_core::{AuditSink, Digest};

use crate::fixture::{Place, denied, done, intent};

/// The longest line of a log, in bytes.
const MAX_LINE: usize = 1 << 20;

/// A log with six entries, and its last entry.
fn log() -> (Place, Head) {
    let place = Place::new();
    let log = place.open();
    for call in 1..=3 {
        log.intend(&intent(call)).expect("there is room");
        log.record(&if call == 2 { denied(call) } else { done(call) });
    }
    let head = log.head();
    (place, head)
}

/// Replaces the lines of a log and returns the error of its check.
fn tampered(change: impl FnOnce(&mut Vec<String>)) -> Option<String> {
    let (place, _) = log();
    let mut lines: Vec<_> = place.text().split_inclusive('\n').map(str::to_owned).collect();
    change(&mut lines);
    fs::write(&place.path, lines.concat()).expect("there is room");
    let error = verify(&place.path).err()?;
    Some(error.to_string().replace(&*place.path.to_string_lossy(), "LOG"))
}

#[test]
fn untouched_log_is_verified() {
    let (place, head) = log();
    let verified = verify(&place.path).expect("nothing was changed");
    assert_eq!((verified.entries, verified.head, verified.torn_bytes), (6, head, 0));
    verify_against(&place.path, &head).expect("it has its last entry");
    verify_against(&place.path, &Head::empty()).expect("it began empty");
}

#[test]
fn each_flipped_bit_is_found() {
    let (place, _) = log();
    let bytes = fs::read(&place.path).expect("the log is there");
    let first_line = bytes.iter().position(|&byte| byte == b'\n').expect("it has lines");
    // The second bit changes the case of a letter, also of a digest.
    for (at, bit) in (0..=first_line).flat_map(|at| [(at, 1), (at, b' ')]) {
        let mut changed = bytes.clone();
        changed[at] ^= bit;
        fs::write(&place.path, changed).expect("there is room");
        let error = verify(&place.path);
        assert!(error.is_err(), "byte {at} of line 1 was changed: {error:?}");
    }
}

#[test]
fn changed_entries_are_named() {
    type Change = fn(&mut Vec<String>);

    let changed = "is not as it was written: its hash does not match";
    let order = |found, expected| {
        format!("has number {found} and not {expected}: entries were removed, inserted or moved")
    };
    let cases: [(&str, Change, usize, String); 6] = [
        ("edit", |it| it[2] = it[2].replace("Read", "Bash"), 3, changed.to_owned()),
        ("delete", |it| drop(it.remove(2)), 3, order(4, 3)),
        ("delete the first", |it| drop(it.remove(0)), 1, order(2, 1)),
        ("insert", |it| it.insert(3, it[1].clone()), 4, order(2, 4)),
        ("move", |it| it.swap(1, 2), 2, order(3, 2)),
        ("blank line", |it| it.insert(1, "\n".to_owned()), 2, changed.to_owned()),
    ];
    for (name, change, line, problem) in cases {
        let error = tampered(change);
        assert_eq!(error, Some(format!("line {line} of `LOG` {problem}")), "{name}");
    }
}

/// Otherwise one entry could be written in two ways.
#[test]
fn entry_in_another_spelling_is_not_accepted() {
    let place = Place::new();
    let hashed = format!(r#"{{"seq":1,"previous":"{}","entry":{{}},"#, Digest::of(b""));
    let hash = Digest::of(hashed.as_bytes());
    // A blank is where a line of a log has the comma, which is hashed here.
    fs::write(&place.path, format!("{hashed} \"hash\":\"{hash}\"}}\n")).expect("there is room");
    let error = verify(&place.path).expect_err("no log writes it so");
    assert!(error.to_string().contains("is not as it was written"), "{error}");
}

#[test]
fn unfinished_line_is_shorter_than_any_line() {
    let (place, _) = log();
    let text = place.text();
    for (bytes, is_unfinished) in [(MAX_LINE - 1, true), (MAX_LINE, false)] {
        fs::write(&place.path, text.clone() + &"x".repeat(bytes)).expect("there is room");
        let verified = verify(&place.path);
        assert_eq!(verified.is_ok(), is_unfinished, "{bytes} bytes without an end: {verified:?}");
    }
}

#[test]
fn cut_end_is_found_with_a_kept_head() {
    let (place, head) = log();
    let lines: Vec<_> = place.text().split_inclusive('\n').map(str::to_owned).collect();
    fs::write(&place.path, lines[..4].concat()).expect("there is room");
    verify(&place.path).expect("a chain alone does not show that its end is missing");
    let error = verify_against(&place.path, &head).expect_err("the kept head does");
    assert!(matches!(error, VerifyError::HeadMissing(missing) if missing == head));
    fs::write(&place.path, lines[..5].concat() + &lines[5][..40]).expect("there is room");
    let verified = verify(&place.path).expect("the last line is unfinished");
    assert_eq!((verified.entries, verified.torn_bytes), (5, 40));
}

#[test]
fn log_with_a_changed_end_is_not_continued() {
    let (place, _) = log();
    let text = place.text();
    fs::write(&place.path, text.replace("\"call\":3", "\"call\":4")).expect("there is room");
    let error = place.try_open(LogOptions::default()).expect_err("its last line was changed");
    assert!(matches!(error, LogError::Damaged(_)), "{error}");
}

#[test]
fn head_is_written_and_read() {
    let (_, head) = log();
    assert_eq!(head.to_string().parse(), Ok(head));
    for text in ["", "6", "6:", "x:sha256:00", "6:sha256:0"] {
        assert!(text.parse::<Head>().is_err(), "`{text}`");
    }
}
