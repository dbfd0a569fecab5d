//! The power is cut while another process writes: what it acknowledged is stored, and no half of
//! a change is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use prowess_core::Timestamp;
use prowess_state::TrustFile;
use prowess_testkit::{PowerCut, Tree, WriteRecord};

use crate::processes::process;
use crate::steps::{self, Snapshot, Stores};

/// Set by `cargo xtask soak --power-cuts`: every part of up to twelve changes is checked.
const EVERY_PART: &str = "PROWESS_TEST_EVERY_PART";

/// The number of parts of what is not synced, for each moment.
fn most_parts() -> usize {
    if std::env::var_os(EVERY_PART).is_some() { 1 << 12 } else { 12 }
}

/// The parts that show that a sync is missing: nothing, and everything.
const FEW_PARTS: usize = 2;

fn acknowledged(cut: &PowerCut<'_>) -> usize {
    String::from_utf8_lossy(cut.printed).matches("report done").count()
}

/// Returns the record of a process that writes below `state` in its tree, which is empty before.
fn record(tree: &Tree, work: &str) -> WriteRecord {
    tree.write("state/.keep", "");
    WriteRecord::of(&process(&[], work, &tree.join("state/prowess/state.db")), &tree.join("state"))
}

/// Returns the number of states, and the places of those in which something is lost or damaged.
fn lost(
    record: &WriteRecord,
    most_parts: usize,
    is_kept: impl Fn(&Path, usize) -> bool,
) -> (usize, Vec<String>) {
    let tree = Tree::new("");
    let mut lost = Vec::new();
    let states = record.cut(most_parts, |cut| {
        cut.write_to(&tree.join("state"));
        let changes = acknowledged(cut);
        if !is_kept(&tree.join("state/prowess"), changes) {
            lost.push(format!("after {changes} changes, {}", cut.place));
        }
    });
    (states, lost)
}

/// Returns whether the database is as it was after so many changes, or one more.
fn is_database_kept(directory: &Path, changes: usize, expected: &[Snapshot]) -> bool {
    let stores = Stores::open(&directory.join("state.db"));
    let Ok(stored) = stores.map_err(|error| error.to_string()).and_then(|it| it.snapshot()) else {
        return false;
    };
    stored == expected[changes] || Some(&stored) == expected.get(changes + 1)
}

#[test]
fn database_keeps_what_it_acknowledged() {
    let tree = Tree::new("");
    let expected = steps::snapshots();
    let is_kept = |directory: &Path, changes| is_database_kept(directory, changes, &expected);
    let (states, lost) = lost(&record(&tree, "steps"), most_parts(), is_kept);
    println!("{states} states of a database after a power cut");
    assert!(states > 200, "{states} states were checked");
    assert_eq!(lost, [""; 0], "of {states} states");
}

/// Shows that the test above finds what is not synced.
#[test]
fn database_without_syncs_loses_changes() {
    let tree = Tree::new("");
    let expected = steps::snapshots();
    let is_kept = |directory: &Path, changes| is_database_kept(directory, changes, &expected);
    let record = |tree: &Tree| record(tree, "steps");
    let (_, files) = lost(&record(&tree).without_file_syncs(), FEW_PARTS, is_kept);
    assert!(!files.is_empty(), "a change is in no file");
    let mutant = record(&Tree::new("")).without_directory_syncs();
    let (_, directories) = lost(&mutant, FEW_PARTS, is_kept);
    assert!(!directories.is_empty(), "a file has no name");
}

/// Returns the folders that are trusted after each change.
fn trusted(folders: &Path) -> Vec<BTreeSet<PathBuf>> {
    let folders = folders.canonicalize().unwrap();
    let [a, b] = ["a", "b"].map(|name| folders.join(name));
    [vec![], vec![a.clone()], vec![a, b.clone()], vec![b]].map(BTreeSet::from_iter).into()
}

/// The work of another process: each change is one of [`trusted`].
pub(crate) fn trust(folders: &Path, file: &Path, mut report: impl FnMut()) {
    let file = TrustFile::new(file.with_file_name("trust.json"));
    file.trust(&folders.join("a"), Timestamp(1)).unwrap();
    report();
    file.trust(&folders.join("b"), Timestamp(2)).unwrap();
    report();
    file.revoke(&folders.join("a")).unwrap();
    report();
}

fn lost_trust(change: impl Fn(WriteRecord) -> WriteRecord) -> (usize, Vec<String>) {
    let tree = Tree::new("//- /a/.keep\n//- /b/.keep\n");
    let expected = trusted(tree.path());
    let work = format!("trust {}", tree.path().display());
    lost(&change(record(&tree, &work)), most_parts(), |directory, changes| {
        let loaded = TrustFile::new(directory.join("trust.json")).load();
        let found = loaded.folders().iter().map(|it| it.path().to_owned()).collect();
        let is_expected = expected[changes] == found || expected.get(changes + 1) == Some(&found);
        loaded.finding().is_none() && is_expected
    })
}

#[test]
fn trust_file_keeps_what_it_acknowledged() {
    let (states, lost) = lost_trust(|record| record);
    println!("{states} states of a trust file after a power cut");
    assert!(states > 20, "{states} states were checked");
    assert_eq!(lost, [""; 0], "of {states} states");
}

/// Shows that the test above finds what is not synced.
#[test]
fn trust_file_without_syncs_loses_changes() {
    let (_, directories) = lost_trust(WriteRecord::without_directory_syncs);
    assert!(!directories.is_empty(), "the old file has the name");
    let (_, files) = lost_trust(WriteRecord::without_file_syncs);
    assert!(!files.is_empty(), "the new file is empty");
}
