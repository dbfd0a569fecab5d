//! The store of packages.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use prowess_core::Digest;
use prowess_store::{Store, StoreError, tree_digest};

use crate::{Place, package};

#[test]
fn package_is_stored_under_its_digest() {
    let place = Place::new();
    let change = place.store.begin().unwrap();
    let one = package("one");
    let trees = change.insert(&[&one, &package("two"), &one]).unwrap();
    assert_eq!(trees[0], trees[2]);
    assert_eq!(trees[0], tree_digest(&one));
    let directory = place.store.package_directory(&trees[0]);
    assert_eq!(fs::read(directory.join("SKILL.md")).unwrap(), b"one");
    let script = directory.join("scripts/run.sh").metadata().unwrap();
    assert_eq!(script.permissions().mode() & 0o777, 0o755);
    place.store.verify(&trees[0]).unwrap();
    change.remove(&trees[0]).unwrap();
    change.remove(&trees[0]).unwrap();
    assert_eq!(place.store.verify(&trees[0]), Err(StoreError::Missing(trees[0])));
    place.store.verify(&trees[1]).unwrap();
}

#[test]
fn changed_package_is_found_and_replaced() {
    type Change = fn(&std::path::Path);
    let changes: [(Change, &[&str]); 5] = [
        (|directory| fs::write(directory.join("SKILL.md"), "other").unwrap(), &["SKILL.md"]),
        (|directory| fs::write(directory.join("more.md"), "").unwrap(), &["more.md"]),
        (|it| fs::remove_file(it.join("scripts/run.sh")).unwrap(), &["scripts/run.sh"]),
        (
            |directory| {
                let script = directory.join("scripts/run.sh");
                fs::set_permissions(script, fs::Permissions::from_mode(0o644)).unwrap();
            },
            &["scripts/run.sh"],
        ),
        (|it| std::os::unix::fs::symlink("SKILL.md", it.join("link")).unwrap(), &[]),
    ];
    for (change, files) in changes {
        let place = Place::new();
        let tree = place.install("pdf", "one");
        change(&place.store.package_directory(&tree));
        let files = files.iter().map(|&file| file.to_owned()).collect();
        assert_eq!(place.store.verify(&tree), Err(StoreError::Changed(tree, files)));
        place.install("pdf", "one");
        place.store.verify(&tree).unwrap();
    }
}

#[test]
fn leftovers_of_a_killed_process_are_removed() {
    let place = Place::new();
    let tree = place.install("pdf", "one");
    let staging = place.store.root().join("staging");
    fs::create_dir_all(staging.join("half/scripts")).unwrap();
    fs::write(staging.join("half/SKILL.md"), "ha").unwrap();
    drop(place.store.begin().unwrap());
    assert!(!staging.exists());
    place.store.verify(&tree).unwrap();
}

#[test]
fn only_one_change_at_a_time() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for number in 0..4 {
            let place = &place;
            scope.spawn(move || {
                for round in 0..5 {
                    place.install(&format!("skill-{number}"), &format!("{number}, {round}"));
                }
            });
        }
    });
    let lock = place.lock.load().unwrap();
    assert_eq!(lock.skills.len(), 4, "no change was lost");
    for skill in lock.skills.values() {
        place.store.verify(&skill.tree).unwrap();
    }
}

#[test]
fn missing_store_has_nothing() {
    let store = Store::new("/nonexistent/store");
    let tree = Digest::of(b"");
    assert_eq!(store.verify(&tree), Err(StoreError::Missing(tree)));
    assert_eq!(store.quarantined(), Ok(Vec::new()));
}
