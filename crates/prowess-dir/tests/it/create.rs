//! New directories and files, and their removal.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use prowess_dir::{Dir, ErrorKind, Permissions};

#[test]
fn tree_is_created_and_removed() {
    let place = tempfile::tempdir().unwrap();
    let directory = Dir::open(place.path()).unwrap();
    let pdf = directory.create_dir("pdf").unwrap();
    pdf.create_file("SKILL.md", b"text", Permissions::Readable).unwrap();
    pdf.open_or_create_dir("scripts").unwrap();
    let scripts = pdf.open_or_create_dir("scripts").unwrap();
    scripts.create_file("run.sh", b"#!/bin/sh\n", Permissions::Executable).unwrap();
    directory.sync().unwrap();
    let mode = |path: &str| place.path().join(path).metadata().unwrap().permissions().mode();
    assert_eq!(mode("pdf/SKILL.md") & 0o777, 0o644);
    assert_eq!(mode("pdf/scripts/run.sh") & 0o777, 0o755);
    directory.move_into("pdf", &directory, "moved").unwrap();
    assert_eq!(fs::read(place.path().join("moved/SKILL.md")).unwrap(), b"text");
    directory.remove_tree("moved").unwrap();
    directory.remove_tree("moved").unwrap();
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0, "nothing is left");
}

#[cfg(target_os = "linux")]
#[test]
fn two_entries_exchange_their_names() {
    let place = tempfile::tempdir().unwrap();
    let directory = Dir::open(place.path()).unwrap();
    let other = directory.create_dir("other").unwrap();
    for (parent, text) in [(&directory, b"one"), (&other, b"two")] {
        let pdf = parent.create_dir("pdf").unwrap();
        pdf.create_file("SKILL.md", text, Permissions::Readable).unwrap();
    }
    directory.exchange("pdf", &other, "pdf").unwrap();
    let text = |path: &str| fs::read_to_string(place.path().join(path)).unwrap();
    assert_eq!([text("pdf/SKILL.md"), text("other/pdf/SKILL.md")], ["two", "one"]);
    assert!(directory.exchange("pdf", &other, "gone").is_err(), "both have to exist");
    assert_eq!(text("pdf/SKILL.md"), "two");
}

/// A tree of any depth would overflow the stack.
#[test]
fn tree_of_limited_depth_is_removed() {
    const MOST_LEVELS: usize = 64;

    for (levels, is_removed) in [(MOST_LEVELS, true), (MOST_LEVELS + 1, false)] {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir_all(place.path().join("a/".repeat(levels))).unwrap();
        let directory = Dir::open(place.path()).unwrap();
        assert_eq!(directory.remove_tree("a").is_ok(), is_removed, "{levels} levels");
    }
}

#[test]
fn file_is_not_opened_as_a_directory() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("file"), "text").unwrap();
    let error = Dir::open(place.path()).unwrap().open_or_create_dir("file").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotADirectory);
}

#[test]
fn paths_are_not_names() {
    let place = tempfile::tempdir().unwrap();
    let directory = Dir::open(place.path()).unwrap();
    for path in ["", ".", "..", "a/b", "/a", "../a", "a\0b"] {
        let file = directory.create_file(path, b"", Permissions::Readable).map_err(|it| it.kind());
        assert!(matches!(file, Err(ErrorKind::Escape | ErrorKind::Malformed)), "{path:?}");
        assert!(directory.create_dir(path).is_err(), "{path:?}");
        assert!(directory.remove_tree(path).is_err(), "{path:?}");
        assert!(directory.put_file(path, "t", b"", Permissions::Private).is_err(), "{path:?}");
        assert!(directory.put_file("t", path, b"", Permissions::Private).is_err(), "{path:?}");
        assert!(directory.move_into("t", &directory, path).is_err(), "{path:?}");
        assert!(directory.exchange("t", &directory, path).is_err(), "{path:?}");
    }
}

#[test]
fn links_are_neither_followed_nor_replaced() {
    let place = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("victim"), "victim").unwrap();
    let directory = Dir::open(place.path()).unwrap();
    symlink(outside.path(), place.path().join("link")).unwrap();
    symlink(outside.path().join("victim"), place.path().join("file")).unwrap();
    assert!(directory.create_file("file", b"new", Permissions::Readable).is_err());
    assert!(directory.create_dir("link").is_err());
    assert!(directory.open_or_create_dir("link").is_err());
    directory.put_file("file", "temporary", b"new", Permissions::Private).unwrap();
    assert!(!place.path().join("file").is_symlink(), "the link itself was replaced");
    directory.remove_tree("link").unwrap();
    assert_eq!(fs::read(outside.path().join("victim")).unwrap(), b"victim");
}

#[test]
fn interrupted_writer_does_not_block_the_next() {
    let place = tempfile::tempdir().unwrap();
    let directory = Dir::open(place.path()).unwrap();
    directory.put_file("lock", ".lock.tmp", b"old", Permissions::Readable).unwrap();
    fs::write(place.path().join(".lock.tmp"), "half").unwrap();
    directory.put_file("lock", ".lock.tmp", b"new", Permissions::Readable).unwrap();
    assert_eq!(fs::read(place.path().join("lock")).unwrap(), b"new");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
}
