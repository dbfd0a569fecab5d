//! `sync --frozen` installs what the lock names, or changes nothing.

use std::fs;

use crate::install::{Machine, files, states};

/// The state of a user who has installed all skills, and whose packages are lost.
fn machine_without_packages() -> Machine {
    let machine = Machine::new();
    machine.add();
    fs::remove_dir_all(machine.state("store/packages")).unwrap();
    machine
}

#[test]
fn lost_packages_are_installed_as_they_were() {
    let machine = Machine::new();
    machine.add();
    let before = files(&machine.state(""));
    fs::remove_dir_all(machine.state("store/packages")).unwrap();
    for state in ["installed", "intact"] {
        let synced = machine.online(&["sync", "--frozen"]);
        assert_eq!(synced.code, Some(0), "{}", synced.stderr);
        assert_eq!(states(&synced.json()), [format!("notes {state}"), format!("pdf {state}")]);
        let is_same = files(&machine.state("")) == before;
        assert!(is_same, "the files and the lock are those of the install");
    }
}

#[test]
fn lock_of_other_files_is_not_followed() {
    let machine = machine_without_packages();
    let lock = machine.state("prowess.lock");
    let text = fs::read_to_string(&lock).unwrap();
    let (head, pdf) = text.split_once("[skill.pdf]").unwrap();
    let (before, tree) = pdf.split_once("tree = \"sha256:").unwrap();
    let other =
        format!("{head}[skill.pdf]{before}tree = \"sha256:{}{}", "0".repeat(64), &tree[64..]);
    fs::write(&lock, &other).unwrap();
    let synced = machine.online(&["sync", "--frozen"]);
    assert_eq!(synced.code, Some(3), "{}", synced.stderr);
    assert_eq!(states(&synced.json()), ["notes installed", "pdf quarantined"]);
    assert_eq!(fs::read_to_string(&lock).unwrap(), other, "the lock is not corrected");
    assert_eq!(machine.listed(), ["notes"], "what the lock does not name is not installed");
}

#[test]
fn missing_lock_is_an_error_and_creates_nothing() {
    let machine = Machine::new();
    let synced = machine.online(&["sync", "--frozen"]);
    assert_eq!((synced.code, &synced.error()["code"]), (Some(1), &"lock-invalid".into()));
    let message = synced.error()["message"].to_string();
    assert!(message.contains("there is no lock file"), "{message}");
    assert!(!machine.state("").exists());
    let synced = machine.online(&["sync"]);
    assert_eq!(synced.code, Some(0), "without `--frozen`, there is nothing to do");
}
