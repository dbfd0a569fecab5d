//! `sync --frozen` installs what the lock names, or changes nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::install::{Machine, states};
#[cfg(feature = "remotes")]
use crate::plain_skill;
use crate::program::Ran;

/// The state of a user who has installed all skills, and whose packages are lost.
fn machine_without_packages() -> Machine {
    let machine = Machine::new();
    machine.add();
    fs::remove_dir_all(machine.state("store/packages")).unwrap();
    machine
}

/// Returns the content of all files of the store and of the lock, by path.
fn disk(machine: &Machine) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    collect(&machine.tree.join("home/.local/state/prowess"), &mut files);
    files
}

fn collect(directory: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(directory).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.insert(path.clone(), fs::read(path).unwrap());
        }
    }
}

/// Runs `sync --frozen`, and returns the files that it has changed, added or removed.
fn changes(machine: &Machine) -> (Ran, Vec<PathBuf>) {
    let before = disk(machine);
    let ran = machine.online(&["sync", "--frozen"]);
    let after = disk(machine);
    let is_other = |path: &&PathBuf| before.get(*path) != after.get(*path);
    let paths = before.keys().chain(after.keys()).filter(is_other).cloned();
    let mut paths: Vec<_> = paths.collect();
    paths.dedup();
    (ran, paths)
}

#[cfg(feature = "remotes")]
fn detail(ran: &Ran, at: usize) -> String {
    ran.json()["skills"][at]["detail"].as_str().unwrap().to_owned()
}

#[test]
fn lost_packages_are_installed_as_they_were() {
    let machine = Machine::new();
    machine.add();
    let before = disk(&machine);
    fs::remove_dir_all(machine.state("store/packages")).unwrap();
    let synced = machine.online(&["sync", "--frozen"]);
    assert_eq!(synced.code, Some(0), "{}", synced.stderr);
    assert_eq!(states(&synced.json()), ["notes installed", "pdf installed"]);
    assert_eq!(disk(&machine), before, "the files and the lock are those of the install");
    let (again, changed) = changes(&machine);
    assert_eq!(states(&again.json()), ["notes intact", "pdf intact"]);
    assert_eq!(changed, [] as [PathBuf; 0], "nothing is left to do");
}

#[cfg(feature = "remotes")]
#[test]
fn changed_bytes_are_put_into_quarantine() {
    let machine = machine_without_packages();
    for name in ["pdf", "notes"] {
        let changed = plain_skill(name) + "More.\n";
        machine.tree.write(&format!("skills/{name}/SKILL.md"), changed);
    }
    machine.publish();
    let (synced, changed) = changes(&machine);
    assert_eq!(synced.code, Some(3), "{}", synced.stderr);
    assert_eq!(states(&synced.json()), ["notes quarantined", "pdf quarantined"]);
    assert!(detail(&synced, 1).starts_with("sha256:"), "the artifact is named");
    assert_eq!(changed.len(), 4, "an artifact and a note for each skill: {changed:?}");
    for path in changed {
        assert!(path.to_string_lossy().contains("/quarantine/"), "{}", path.display());
    }
    let lines = machine.run(&["sync", "--frozen", "--host", machine.host()]);
    assert_eq!(lines.code, Some(3), "it does not become acceptable");
    assert!(lines.stdout.contains("quarantined  pdf    sha256:"), "{}", lines.stdout);
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
    let (synced, changed) = changes(&machine);
    assert_eq!(synced.code, Some(1));
    assert_eq!(synced.error()["code"], "lock-invalid");
    let message = synced.error()["message"].to_string();
    assert!(message.contains("there is no lock file"), "{message}");
    assert_eq!(changed, [] as [PathBuf; 0]);
    assert_eq!(
        machine.online(&["sync"]).code,
        Some(0),
        "without `--frozen`, there is nothing to do"
    );
}
