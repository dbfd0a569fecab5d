//! The previous version of a skill.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use prowess_core::{Digest, Timestamp};
use prowess_store::{Author, Change, PlaceForm, PlaceState, StoreError, Version};

use crate::{Place, package};

/// Each change of a lock file by an author is a version of its skill, once, and its files stay.
/// The first is the one that was locked before.
#[test]
fn changes_are_versions_with_an_author() {
    let mut place = Place::new();
    let first = place.install("pdf", "none");
    let name = place.lock.ledger_name("pdf");
    assert_eq!(place.store.ledger(&name), Ok(Vec::new()), "an install without an author has none");
    place.store = place.store.clone().by(Author { by: "ada".into(), at: Timestamp(1) });
    let one = place.install("pdf", "one");
    place.install("pdf", "one");
    let change = place.store.begin().unwrap().because(Some("it breaks".into()));
    change.roll_back(&place.lock, "pdf", None).unwrap();
    drop(change);
    let mut lock = place.lock.load().unwrap();
    lock.skills.clear();
    place.store.begin().unwrap().save(&place.lock, &lock).unwrap();
    let versions = place.store.ledger(&name).unwrap();
    let found: Vec<_> = versions.iter().map(|it| (&*it.action, it.package)).collect();
    let installed = ("installed", first);
    assert_eq!(found, [installed, ("updated", one), ("returned", first), ("removed", first)]);
    assert!(versions.iter().all(|version| version.by == "ada"));
    let reasons = [1, 2, 3].map(|at: usize| versions[at].reason.as_deref() == Some("it breaks"));
    assert_eq!(reasons, [false, true, false], "the reason is that of the return");
    assert_eq!(place.store.package(&one), Ok(package("one")), "modes are kept, too");
    assert_eq!(place.store.ledger("/another"), Ok(Vec::new()));
}

fn version(action: &str, package: Digest) -> Version {
    let (action, by) = (action.to_owned(), "ada".to_owned());
    Version { package, action, by, at: Timestamp(1), reason: None, proposal: None }
}

/// Stores a version of a skill.
fn take(place: &Place, text: &str) -> (Change, Digest) {
    let change = place.store.begin().unwrap();
    let tree = change.insert(&[&package(text)]).unwrap()[0];
    (change, tree)
}

/// Locks a version, and returns what is at the place of the skill then.
fn update(place: &Place, text: &str) -> PlaceState {
    let (change, tree) = take(place, text);
    let mut lock = place.lock.load().unwrap();
    lock.skills.get_mut("pdf").unwrap().tree = tree;
    change.save(&place.lock, &lock).unwrap().remove(0).state
}

/// Changes of a placed copy (`lock` is an update, the others are changes of a person), and
/// whether the next update replaces it. The store has the files of each.
#[test]
fn work_of_a_person_is_never_replaced() {
    let cases: [(&[(&str, &str)], PlaceState); 8] = [
        (&[], PlaceState::Restored),
        (&[("lock", "two")], PlaceState::Restored),
        (&[("accepted", "mine")], PlaceState::Edited),
        (&[("fixed", "mine"), ("lock", "two")], PlaceState::Edited),
        (&[("restored", "zero")], PlaceState::Edited),
        (&[("accepted", "mine"), ("restored", "one")], PlaceState::Restored),
        (&[("accepted", "mine"), ("lock", "two"), ("restored", "one")], PlaceState::Edited),
        (&[("accepted", "two"), ("lock", "two")], PlaceState::Restored),
    ];
    for (steps, expected) in cases {
        let mut place = Place::new();
        place.store = place.store.clone().by(Author { by: "ada".into(), at: Timestamp(1) });
        place.install("pdf", "zero");
        place.install("pdf", "one");
        let directory = place.directory.path().join("agents");
        let copy = directory.join("pdf/SKILL.md");
        let ids = ["pdf".to_owned()];
        place.store.begin().unwrap().place(&place.lock, &ids, &directory, PlaceForm::Copy).unwrap();
        assert_eq!(place.lock.placed_at(&directory.join("pdf")).unwrap().as_deref(), Some("pdf"));
        assert_eq!(place.lock.placed_at(&directory.join("notes")).unwrap(), None);
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o600)).unwrap();
        for (action, text) in steps {
            if *action == "lock" {
                update(&place, text);
                continue;
            }
            fs::write(&copy, text).unwrap();
            let (change, tree) = take(&place, text);
            change.record(&place.lock.ledger_name("pdf"), version(action, tree)).unwrap();
        }
        let is_kept = expected == PlaceState::Edited;
        let before = fs::read_to_string(&copy).unwrap();
        place.store.begin().unwrap().restore_places(&place.lock).unwrap();
        assert_eq!(fs::read_to_string(&copy).unwrap(), before, "{steps:?}: a sync keeps it");
        assert_eq!(update(&place, "three"), expected, "{steps:?}");
        let after = fs::read_to_string(&copy).unwrap();
        assert_eq!(after, if is_kept { before.as_str() } else { "three" }, "{steps:?}");
        let mode = fs::metadata(&copy).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{steps:?}: an update opens no file to others");
        let mut lock = place.lock.load().unwrap();
        lock.skills.clear();
        place.store.begin().unwrap().save(&place.lock, &lock).unwrap();
        assert_eq!(copy.exists(), is_kept, "{steps:?}: a removal follows the same rule");
    }
}

/// Edits of a placed copy next to `SKILL.md`, what the next check, sync and update find, and the
/// files that are there at the end.
#[test]
fn copies_with_whole_files_follow_the_lock() {
    use PlaceState::{Edited, Extended, Intact, Missing, Restored};
    let cases = [
        (":", [Intact, Intact, Restored], "SKILL.md scripts/run.sh"),
        (
            "echo > scripts/a.pyc",
            [Extended, Extended, Restored],
            "SKILL.md scripts/a.pyc scripts/run.sh",
        ),
        (
            "ln -s / a; rm scripts/run.sh",
            [Missing, Restored, Restored],
            "SKILL.md a scripts/run.sh",
        ),
        ("rm -r scripts; echo > scripts", [Edited; 3], "SKILL.md scripts"),
        (
            "printf '#!/bin/sh\\r\\n' > scripts/run.sh",
            [Missing, Restored, Restored],
            "SKILL.md scripts/run.sh",
        ),
        (
            "rm SKILL.md; echo own > a.md",
            [Missing, Restored, Restored],
            "SKILL.md a.md scripts/run.sh",
        ),
        ("mv SKILL.md skill.md", [Edited; 3], "scripts/run.sh skill.md"),
        ("rm -r *; echo own > a.md", [Edited; 3], "a.md"),
        ("echo > a; echo >> scripts/run.sh", [Edited; 3], "SKILL.md a scripts/run.sh"),
    ];
    for (edit, states, files) in cases {
        let place = Place::new();
        place.install("pdf", "one");
        let copy = place.directory.path().join("agents/pdf");
        let change = || place.store.begin().unwrap();
        let agents = copy.parent().unwrap();
        change().place(&place.lock, &["pdf".to_owned()], agents, PlaceForm::Copy).unwrap();
        let shell =
            |line| Command::new("sh").args(["-c", line]).current_dir(&copy).output().unwrap();
        assert!(shell(edit).status.success(), "{edit}");
        let checked = change().check_places(&place.lock).unwrap()[0].state;
        // As in another clone, which has no note of what was placed.
        fs::remove_dir_all(place.store.root().join("places")).unwrap();
        let synced = change().restore_places(&place.lock).unwrap()[0].state;
        let updated = update(&place, "two");
        assert_eq!([checked, synced, updated], states, "{edit}");
        let found = shell("find . ! -type d | sed 's,^./,,' | LC_ALL=C sort | tr '\\n' ' '").stdout;
        assert_eq!(String::from_utf8_lossy(&found).trim(), files, "{edit}");
        let text = fs::read_to_string(copy.join("SKILL.md")).unwrap_or_default();
        assert_eq!(text == "two", updated == Restored, "{edit}");
    }
}

#[test]
fn version_that_was_not_made_is_retracted() {
    let place = Place::new();
    let change = place.store.begin().unwrap();
    let package = change.insert(&[&package("one")]).unwrap()[0];
    let version = |action: &str| version(action, package);
    change.record("/skills/pdf", version("found")).unwrap();
    change.record("/skills/pdf", version("accepted")).unwrap();
    change.record("/skills/pdf", version("accepted")).unwrap();
    change.retract("/skills/pdf", &version("restored")).unwrap();
    let ledger = || place.store.ledger("/skills/pdf").unwrap();
    assert_eq!(ledger(), [version("found"), version("accepted")]);
    change.retract("/skills/pdf", &version("accepted")).unwrap();
    assert_eq!(ledger(), [version("found")]);
    for at in 0..150 {
        let action = if at % 2 == 0 { "restored" } else { "found" };
        change.record("/skills/pdf", version(action)).unwrap();
    }
    assert_eq!(ledger().len(), 151, "each keeps its number");
}

#[test]
fn skill_returns_to_its_previous_version() {
    let place = Place::new();
    let one = place.install("pdf", "one");
    place.install("notes", "notes");
    let two = place.install("pdf", "two");
    let change = place.store.begin().unwrap();
    let locked = |id: &str| place.lock.load().unwrap().skills[id].tree;
    assert_eq!(change.roll_back(&place.lock, "pdf", None).unwrap().tree, one);
    assert_eq!(locked("pdf"), one);
    change.roll_back(&place.lock, "pdf", None).unwrap();
    assert_eq!(locked("pdf"), two, "a second call reverts the first");
    let without = change.roll_back(&place.lock, "notes", None);
    assert_eq!(without, Err(StoreError::NoEarlierVersion("notes".to_owned(), None)));
    let other = change.roll_back(&place.lock, "pdf", Some("x")).unwrap_err().to_string();
    assert_eq!(other, "there is no earlier version of `pdf` that begins with `x`");
}

#[test]
fn removed_skill_can_return() {
    let place = Place::new();
    let one = place.install("pdf", "one");
    let change = place.store.begin().unwrap();
    let mut lock = place.lock.load().unwrap();
    lock.skills.clear();
    change.save(&place.lock, &lock).unwrap();
    assert_eq!(change.roll_back(&place.lock, "pdf", None).unwrap().tree, one);
    assert_eq!(place.lock.load().unwrap().skills["pdf"].tree, one);
}
