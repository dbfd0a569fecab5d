//! Merges of locks, compared with the rule for each id.

use std::collections::BTreeMap;

use proptest::prelude::*;
use prowess_core::Digest;
use prowess_store::{Lock, LockError, heal, merge};

use crate::locked;

const IDS: [&str; 4] = ["a", "b", "c", "d"];

/// A lock by the version of each skill, where 0 is none.
type Versions = [u8; 4];

fn lock(versions: Versions) -> Lock {
    let mut lock = Lock::default();
    for (id, version) in IDS.iter().zip(versions) {
        if version > 0 {
            let text = version.to_string();
            lock.skills.insert((*id).to_owned(), locked(&text, Digest::of(text.as_bytes())));
        }
    }
    lock
}

/// The merge of one skill; `None` is a conflict.
fn merged(base: u8, ours: u8, theirs: u8) -> Option<u8> {
    if ours == theirs || base == theirs { Some(ours) } else { (base == ours).then_some(theirs) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn only_ids_with_two_values_conflict(
        base in prop::array::uniform4(0_u8..4),
        ours in prop::array::uniform4(0_u8..4),
        theirs in prop::array::uniform4(0_u8..4),
    ) {
        let result = merge(Some(&lock(base)), &lock(ours), &lock(theirs));
        let mut expected = BTreeMap::new();
        for (at, id) in IDS.iter().enumerate() {
            let version = merged(base[at], ours[at], theirs[at]);
            prop_assert_eq!(result.conflicts.contains_key(*id), version.is_none(), "{}", id);
            expected.insert(at, version.unwrap_or(ours[at]));
        }
        let expected = [0, 1, 2, 3].map(|at| expected[&at]);
        prop_assert_eq!(&result.lock, &lock(expected));
    }
}

proptest! {
    #[test]
    fn text_of_a_merge_has_both_versions(
        base in prop::array::uniform4(0_u8..4),
        ours in prop::array::uniform4(0_u8..4),
        theirs in prop::array::uniform4(0_u8..4),
    ) {
        let result = merge(Some(&lock(base)), &lock(ours), &lock(theirs));
        let text = result.to_text();
        if result.conflicts.is_empty() {
            prop_assert_eq!(Lock::parse(&text), Ok(result.lock));
        } else {
            prop_assert_eq!(Lock::parse(&text), Err(LockError::Conflicted));
            prop_assert_eq!(heal(&text), Ok(result), "the markers have both versions and the base");
        }
    }
}

/// Merges by git without our driver, which leaves markers.
fn by_git(base: &Lock, ours: &Lock, theirs: &Lock, style: &str) -> String {
    let place = tempfile::tempdir().unwrap();
    let file = |name: &str, lock: &Lock| {
        let path = place.path().join(name);
        std::fs::write(&path, lock.to_text()).unwrap();
        path
    };
    let mut command = std::process::Command::new("git");
    command.args(["merge-file", "-p", style]);
    command.arg(file("ours", ours)).arg(file("base", base)).arg(file("theirs", theirs));
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

#[test]
fn markers_of_git_are_repaired() {
    let base = lock([1, 0, 0, 0]);
    let ours = lock([1, 2, 0, 0]);
    let theirs = lock([1, 0, 3, 0]);
    let conflicted = by_git(&base, &ours, &theirs, "--diff3");
    assert_eq!(Lock::parse(&conflicted), Err(LockError::Conflicted), "git cannot merge these");
    for style in ["--diff3", "--ours"] {
        let text = by_git(&base, &ours, &theirs, style);
        let healed = heal(&text);
        if style == "--diff3" {
            let healed = healed.unwrap();
            assert!(healed.conflicts.is_empty(), "{:?}", healed.conflicts);
            assert_eq!(healed.lock, lock([1, 2, 3, 0]));
        } else {
            assert_eq!(healed.unwrap().lock, ours, "a text without markers is read as it is");
        }
    }
}

#[test]
fn incomplete_markers_are_refused() {
    let text = lock([1, 0, 0, 0]).to_text();
    for markers in [
        "<<<<<<< a\n",
        "=======\n",
        ">>>>>>> b\n",
        "<<<<<<< a\n>>>>>>> b\n",
        "<<<<<<< a\n=======\n",
    ] {
        let healed = heal(&format!("{text}{markers}"));
        assert!(matches!(healed, Err(LockError::Invalid(_))), "{markers}");
    }
}
