//! The power is cut during `prowess update`: the old version or the new one is installed, and a
//! reported update is there.

use std::fs;
use std::path::Path;
use std::process::Command;

use prowess_store::{LockFile, Store};
use prowess_testkit::{Tree, WriteRecord};

use crate::install_crashes::Machine;
use crate::plain_skill;
use crate::program::Program;

/// Set by `cargo xtask soak --power-cuts`: every part of up to twelve changes is checked.
const EVERY_PART: &str = "PROWESS_TEST_EVERY_PART";

/// The number of parts of what is not synced, for each moment.
fn most_parts() -> usize {
    if std::env::var_os(EVERY_PART).is_some() { 1 << 12 } else { 64 }
}

fn record(machine: &Machine) -> WriteRecord {
    machine.reset();
    let home = machine.tree.join("home");
    WriteRecord::of(prowess(&home).args(["update", "--accept", "--user"]), &home)
}

/// Returns the command of the program for a home, with no other variable.
fn prowess(home: &Path) -> Command {
    let mut command = Command::new("env");
    command.arg("-i").arg(format!("HOME={}", home.display()));
    command.arg(env!("CARGO_BIN_EXE_prowess"));
    command
}

/// Returns the number of states, and what is wrong with those in which something is lost.
fn lost(machine: &Machine, record: &WriteRecord) -> (usize, Vec<String>) {
    let mut lost = Vec::new();
    let states = record.cut(most_parts(), |cut| {
        cut.write_to(&machine.tree.join("home"));
        let is_done = !cut.printed.is_empty();
        if let Err(problem) = machine.check(is_done) {
            lost.push(format!("{}: {problem}", cut.place));
        }
    });
    (states, lost)
}

#[test]
fn update_leaves_one_of_the_versions() {
    let machine = Machine::new();
    let (states, lost) = lost(&machine, &record(&machine));
    println!("{states} states of a home after a power cut");
    assert!(states > 30, "{states} states were checked");
    assert_eq!(lost, [""; 0], "of {states} states");
}

/// Everything below the home is new, the lock and the store too.
#[test]
fn first_install_is_there_or_not() {
    let tree = Tree::new("//- /home/.keep\n");
    tree.write("skills/pdf/SKILL.md", plain_skill("pdf"));
    let home = tree.join("home");
    let record =
        WriteRecord::of(prowess(&home).args(["add", "--user"]).arg(tree.join("skills")), &home);
    let state = home.join(".local/state/prowess");
    let (store, lock) =
        (Store::new(state.join("store")), LockFile::new(state.join("prowess.lock")));
    let states = record.cut(most_parts(), |cut| {
        cut.write_to(&home);
        let skills = lock.load().expect(cut.place).skills;
        assert!(!skills.is_empty() || cut.printed.is_empty(), "{}: it is lost", cut.place);
        for skill in skills.values() {
            assert_eq!(store.verify(&skill.tree), Ok(()), "{}", cut.place);
        }
        drop(store.begin().expect(cut.place));
    });
    assert!(states > 30, "{states} states were checked");
}

/// Half of a copy would look like a change of the user, and would stay.
#[test]
fn copy_for_another_client_is_whole_or_not_there() {
    let tree = Tree::new("//- /home/.keep\n");
    let text = plain_skill("pdf");
    tree.write("skills/pdf/SKILL.md", &text);
    tree.write("skills/pdf/references/deep/fields.md", "Fields\n");
    let (home, skills) = (tree.join("home"), tree.join("skills").display().to_string());
    let trusted = Program::new().at_home_in(&home).run(&["trust", "--source", &skills]);
    assert_eq!(trusted.code, Some(0), "{}", trusted.stderr);
    let record = WriteRecord::of(prowess(&home).args(["add", &skills, "--copy", "--user"]), &home);
    let copy = home.join(".agents/skills/pdf");
    let mut copies = 0;
    let states = record.cut(most_parts(), |cut| {
        cut.write_to(&home);
        if copy.exists() {
            copies += 1;
            let read = |path: &str| fs::read_to_string(copy.join(path)).unwrap_or_default();
            assert_eq!(read("SKILL.md"), text, "{}", cut.place);
            assert_eq!(read("references/deep/fields.md"), "Fields\n", "{}", cut.place);
        }
        assert!(copy.exists() || cut.printed.is_empty(), "{}: it is lost", cut.place);
    });
    assert!(copies > 0 && states > 40, "{copies} of {states} states have a copy");
}

/// Shows that the tests above find what is not synced.
#[test]
fn update_without_syncs_loses_both_versions() {
    let machine = Machine::new();
    let (_, directories) = lost(&machine, &record(&machine).without_directory_syncs());
    assert!(!directories.is_empty(), "the old lock has the name");
    let (_, files) = lost(&machine, &record(&machine).without_file_syncs());
    assert!(!files.is_empty(), "the new lock is empty");
}
