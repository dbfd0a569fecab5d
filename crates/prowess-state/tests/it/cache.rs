//! Tests of the cache: scans are restored, or made again.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use prowess_core::{Code, Diagnostic, RecordSet, RecordSetBuilder, Severity};
use prowess_state::RecordCache;
use prowess_testkit::Tree;

/// Returns a set that is identified by its diagnostic.
fn records(message: &str) -> RecordSet {
    let mut builder = RecordSetBuilder::new();
    builder.reject("broken", None);
    builder.diagnose(None, Diagnostic::new(Code::new("x"), Severity::Hint, message, "none"));
    builder.finish()
}

fn message(records: &RecordSet) -> String {
    records.diagnostics().map(|found| found.message.as_str()).collect()
}

/// Returns the only file of a cache.
pub(crate) fn only_file(tree: &Tree) -> PathBuf {
    let mut files = fs::read_dir(tree.join("cache")).unwrap();
    files.next().expect("there is a file").unwrap().path()
}

fn saved() -> (Tree, RecordCache) {
    let tree = Tree::new("");
    let cache = RecordCache::new(tree.join("cache"), "build 1");
    cache.save("key", &records("first")).unwrap();
    (tree, cache)
}

#[test]
fn records_are_restored_for_their_key_and_build_only() {
    let (tree, cache) = saved();
    let found = cache.load("key").unwrap().expect("it was kept");
    assert_eq!(message(&found), "first");
    cache.save("key", &records("second")).unwrap();
    assert_eq!(message(&cache.load("key").unwrap().unwrap()), "second", "the newest is kept");
    assert!(cache.load("another").unwrap().is_none(), "another key has nothing");
    let newer = RecordCache::new(tree.join("cache"), "build 2");
    assert!(newer.load("key").unwrap().is_none(), "another build has nothing, without complaint");
    let mode = only_file(&tree).metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "other users cannot read which skills a user has");
}

#[test]
fn damage_is_detected_at_every_byte() {
    let (tree, cache) = saved();
    let path = only_file(&tree);
    let whole = fs::read(&path).unwrap();
    let check = |bytes: &[u8], what: &str| {
        fs::write(&path, bytes).unwrap();
        let finding = cache.load("key").map(|found| found.is_some()).expect_err(what);
        assert_eq!((finding.code.as_str(), finding.severity), ("cache-ignored", Severity::Hint));
    };
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        check(&bytes, "a changed byte is seen");
        check(&whole[..at], "a missing end is seen");
    }
    check(&[&whole[..], b"x"].concat(), "a byte too many is seen");
    cache.save("key", &records("again")).unwrap();
    assert_eq!(message(&cache.load("key").unwrap().unwrap()), "again", "it is made again");
}

/// Swapped files are intact, but each is under the wrong key.
#[test]
fn file_of_another_key_is_rejected() {
    let (tree, cache) = saved();
    let first = only_file(&tree);
    let bytes = fs::read(&first).unwrap();
    fs::remove_file(&first).unwrap();
    cache.save("other", &records("other")).unwrap();
    fs::write(only_file(&tree), bytes).unwrap();
    assert!(cache.load("other").is_err(), "it says itself which key it is for");
}

#[test]
fn file_writable_by_others_is_rejected() {
    let (tree, cache) = saved();
    fs::set_permissions(only_file(&tree), Permissions::from_mode(0o666)).unwrap();
    assert!(cache.load("key").is_err(), "anybody could have written it");
}

#[test]
fn oldest_files_are_removed() {
    let tree = Tree::new("");
    let cache = RecordCache::new(tree.join("cache"), "build");
    for number in 0..300 {
        cache.save(&format!("key {number}"), &records("x")).unwrap();
    }
    let left = fs::read_dir(tree.join("cache")).unwrap().count();
    assert_eq!(left, 256, "a cache does not grow for ever");
    assert!(cache.load("key 299").unwrap().is_some(), "the newest is there");
}

#[test]
fn unwritable_directory_is_an_error() {
    let tree = Tree::new("//- /file\ntext\n");
    let cache = RecordCache::new(tree.join("file/cache"), "build");
    let failed = cache.save("key", &records("x")).expect_err("there is no such directory");
    assert_eq!((failed.code.as_str(), failed.severity), ("cache-not-written", Severity::Warning));
}

#[test]
fn cleaning_keeps_foreign_files() {
    let tree = Tree::new("");
    let cache = RecordCache::new(tree.join("cache"), "build");
    let others = ["notes.txt", "0123456789ABCDEF0123456789abcdef", ".x.prowess-tmp", "directory/x"];
    for other in others {
        tree.write(&format!("cache/{other}"), "x");
    }
    fs::create_dir(tree.join("cache/0123456789abcdef0123456789abcdef")).unwrap();
    let old = fs::File::options().write(true).open(tree.join("cache/notes.txt")).unwrap();
    old.set_modified(UNIX_EPOCH).unwrap();
    for number in 0..260 {
        cache.save(&format!("key {number}"), &records("x")).unwrap();
    }
    let left = fs::read_dir(tree.join("cache")).unwrap().count();
    assert_eq!(left, 256 + others.len() + 1, "only the cache's own files go");
    assert!(others.iter().all(|other| tree.join("cache").join(other).exists()));
}

#[test]
fn old_temporary_files_are_removed() {
    let (tree, cache) = saved();
    let leftover = tree.join("cache/.0123.abc.prowess-tmp");
    fs::write(&leftover, "half").unwrap();
    cache.save("key", &records("second")).unwrap();
    assert!(leftover.exists(), "its writer may still be at work");
    let old = fs::File::options().write(true).open(&leftover).unwrap();
    old.set_modified(UNIX_EPOCH).unwrap();
    cache.save("key", &records("third")).unwrap();
    assert!(!leftover.exists(), "no writer takes that long");
}
