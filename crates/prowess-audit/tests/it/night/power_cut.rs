//! The power is cut while another process writes a log: no intent that it stored is lost, and the
//! log can be written again.

use std::fs;

use prowess_audit::verify;
use prowess_testkit::WriteRecord;
use tempfile::TempDir;

use crate::fixture::Place;
use crate::worker::{command, run, stored, whole};

/// Set by `cargo xtask soak --power-cuts`: every part of up to twelve changes is checked.
const EVERY_PART: &str = "PROWESS_TEST_EVERY_PART";

/// The number of parts of what is not synced, for each moment.
fn most_parts() -> usize {
    if std::env::var_os(EVERY_PART).is_some() { 1 << 12 } else { 64 }
}

/// Records a worker that begins a log in a new directory.
fn record() -> WriteRecord {
    let home = TempDir::new().expect("there is room");
    WriteRecord::of(&command(&home.path().join("logs/audit.jsonl")), home.path())
}

/// Returns the number of states, and what is wrong with those in which something is lost.
fn lost(record: &WriteRecord) -> (usize, Vec<String>) {
    let home = TempDir::new().expect("there is room");
    let directory = tempfile::Builder::new().prefix("logs").rand_bytes(0).tempdir_in(&home);
    let directory = directory.expect("it has no such directory yet");
    let path = directory.path().join("audit.jsonl");
    let place = Place { directory, path, ..Place::new() };
    let mut lost = Vec::new();
    let states = record.cut(most_parts(), |cut| {
        cut.write_to(home.path());
        if let Err(problem) = check(&place, &String::from_utf8_lossy(cut.printed)) {
            lost.push(format!("{}: {problem}", cut.place));
        }
    });
    (states, lost)
}

fn check(place: &Place, printed: &str) -> Result<(), String> {
    let reports: Vec<_> =
        printed.lines().filter_map(|line| line.strip_prefix("> ")).map(str::to_owned).collect();
    // Opening it repairs its end.
    let log = place.try_open(<_>::default()).map_err(|error| error.to_string())?;
    drop(log);
    verify(&place.path).map_err(|error| error.to_string())?;
    let text = whole(place);
    let is_lost = |call: &u64| !text.contains(&format!("\"call\":{call},"));
    match stored(&reports).into_iter().find(is_lost) {
        Some(call) => Err(format!("call {call} was stored and is missing")),
        None => Ok(()),
    }
}

#[test]
fn log_keeps_what_it_stored() {
    let (states, lost) = lost(&record());
    println!("{states} states of a log after a power cut");
    assert!(states > 40, "{states} states were checked");
    assert_eq!(lost, [""; 0], "of {states} states");
}

#[test]
fn repair_of_a_log_is_repeated() {
    let home = TempDir::new().expect("there is room");
    let log = home.path().join("logs/audit.jsonl");
    run(&log, &[]);
    let text = fs::read(&log).expect("the log is there");
    fs::write(&log, &text[..text.len() - 20]).expect("there is room");
    let (states, lost) = lost(&WriteRecord::of(&command(&log), home.path()));
    assert!(states > 40, "{states} states were checked");
    assert_eq!(lost, [""; 0], "of {states} states");
}

/// Shows that the tests above find what is not synced.
#[test]
fn log_without_syncs_loses_entries() {
    let (_, directories) = lost(&record().without_directory_syncs());
    assert!(!directories.is_empty(), "a file has no name");
    let (_, files) = lost(&record().without_file_syncs());
    assert!(!files.is_empty(), "an entry is in no file");
}
