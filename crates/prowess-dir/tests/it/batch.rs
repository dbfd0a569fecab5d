//! Tests of paths from listings.

use std::ffi::OsStr;
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;

use prowess_dir::{Dir, EntryBuffer, ErrorKind, Kind, Links, PathBatch};

use crate::Place;

/// Returns the paths of this file in each directory of `directory`.
fn batch(directory: &mut Dir, file: &str) -> PathBatch {
    let mut batch = PathBatch::new(file).unwrap();
    let mut buffer = EntryBuffer::default();
    let visited = directory.entries(&mut buffer).unwrap().visit(|entry| {
        if matches!(entry.kind(), Kind::Directory | Kind::Link) {
            batch.push("shown/", &entry);
        }
        ControlFlow::<()>::Continue(())
    });
    assert!(visited.unwrap().is_continue(), "all were shown");
    batch
}

#[test]
fn paths_open_the_file_of_their_directory() {
    let place = Place::new();
    for name in ["a", "b b", "..."] {
        fs::create_dir(place.inside(name)).unwrap();
        fs::write(place.inside(name).join("notes.md"), name).unwrap();
    }
    for mut directory in place.opened() {
        let mut batch = batch(&mut directory, "notes.md");
        let mut found: Vec<_> = batch
            .paths()
            .expect("each name is UTF-8")
            .map(|path| {
                let (stat, _) = directory.stat_on_mount(path.file).unwrap();
                assert_eq!(directory.stat_unconfined(path.file).unwrap(), stat);
                let file = directory
                    .open_unchecked(path.file, Links::Refuse)
                    .unwrap()
                    .into_file()
                    .unwrap();
                (path.directory, String::from_utf8(file.read_whole(100).unwrap()).unwrap())
            })
            .collect();
        found.sort();
        let expected = [("...", "..."), ("a", "a"), ("b b", "b b"), ("references", "notes")];
        let expected = expected.map(|(name, text)| (format!("shown/{name}"), text.to_owned()));
        let found = found.into_iter().map(|(name, text)| (name.to_owned(), text));
        assert!(found.eq(expected), "each by the directory's name");
        batch.clear();
        assert!(batch.is_empty() && batch.paths().unwrap().count() == 0, "nothing is left");
    }
}

#[test]
fn link_instead_of_a_directory_is_not_followed() {
    let place = Place::new();
    place.link("link", place.outside("elsewhere"));
    for mut directory in place.opened() {
        let batch = batch(&mut directory, "notes.md");
        let link = batch.paths().unwrap().find(|path| path.directory == "shown/link").unwrap();
        let refused = directory.open_unchecked(link.file, Links::Refuse).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Link);
        assert_eq!(refused.path(), "link/notes.md", "what was asked for is shown");
    }
}

#[test]
fn names_that_are_not_utf8_or_not_valid_are_reported() {
    let place = Place::new();
    fs::create_dir(place.inside("").join(OsStr::from_bytes(b"\xff"))).unwrap();
    for mut directory in place.opened() {
        assert!(batch(&mut directory, "notes.md").paths().is_none());
    }
    for file in ["", ".", "..", "a/b", "../CANARY", "a\0"] {
        assert_eq!(PathBatch::new(file).unwrap_err().kind(), ErrorKind::Malformed, "{file:?}");
        let mut batch = PathBatch::new("notes.md").unwrap();
        let refused = batch.push_name(file).unwrap_err();
        assert_eq!((refused.kind(), batch.len()), (ErrorKind::Malformed, 0), "{file:?}");
    }
    let mut batch = PathBatch::new("notes.md").unwrap();
    batch.push_name("...").unwrap();
    assert_eq!(batch.paths().unwrap().next().unwrap().directory, "...");
}

#[test]
fn batch_counts_its_paths() {
    let place = Place::new();
    let mut directory = Dir::open(place.inside("")).unwrap();
    let mut batch = batch(&mut directory, "notes.md");
    assert_eq!((batch.len(), batch.is_empty()), (1, false));
    batch.clear();
    assert_eq!((batch.len(), batch.is_empty()), (0, true));
}
