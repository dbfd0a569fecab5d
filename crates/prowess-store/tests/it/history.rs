//! The previous version of a skill.

use prowess_store::StoreError;

use crate::Place;

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
