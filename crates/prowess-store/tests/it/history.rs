//! The previous version of a skill.

use prowess_core::Timestamp;
use prowess_store::{Author, StoreError, Version};

use crate::{Place, package};

/// Each change of a lock file by an author is a version of its skill, once, and its files stay.
#[test]
fn changes_are_versions_with_an_author() {
    let mut place = Place::new();
    let first = place.install("pdf", "none");
    let name = place.lock.ledger_name("pdf");
    assert_eq!(place.store.ledger(&name), Ok(Vec::new()), "an install without an author has none");
    place.store = place.store.clone().by(Author { by: "ada".into(), at: Timestamp(1) });
    let one = place.install("pdf", "one");
    place.install("pdf", "one");
    place.store.begin().unwrap().roll_back(&place.lock, "pdf", None).unwrap();
    let mut lock = place.lock.load().unwrap();
    lock.skills.clear();
    place.store.begin().unwrap().save(&place.lock, &lock).unwrap();
    let versions = place.store.ledger(&name).unwrap();
    let found: Vec<_> = versions.iter().map(|it| (&*it.action, it.package)).collect();
    assert_eq!(found, [("updated", one), ("returned", first), ("removed", first)]);
    assert!(versions.iter().all(|version| version.by == "ada"));
    assert_eq!(place.store.package(&one), Ok(package("one")), "modes are kept, too");
    assert_eq!(place.store.ledger("/another"), Ok(Vec::new()));
}

#[test]
fn version_that_was_not_made_is_retracted() {
    let place = Place::new();
    let change = place.store.begin().unwrap();
    let package = change.insert(&[&package("one")]).unwrap()[0];
    let version = |action: &str| Version {
        package,
        action: action.into(),
        by: "ada".into(),
        at: Timestamp(1),
        reason: None,
        proposal: None,
    };
    change.record("/skills/pdf", version("found")).unwrap();
    change.record("/skills/pdf", version("accepted")).unwrap();
    change.record("/skills/pdf", version("accepted")).unwrap();
    change.retract("/skills/pdf", &version("restored")).unwrap();
    let ledger = || place.store.ledger("/skills/pdf").unwrap();
    assert_eq!(ledger(), [version("found"), version("accepted")]);
    change.retract("/skills/pdf", &version("accepted")).unwrap();
    assert_eq!(ledger(), [version("found")]);
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
    assert_eq!(without, Err(StoreError::NoEarlierVersion("notes".to_owned())));
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
