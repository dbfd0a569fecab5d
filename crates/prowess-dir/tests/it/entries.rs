//! Tests of directory listings.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;

use prowess_dir::{Dir, EntryBuffer, Kind};

use crate::{Place, make_fifo};

fn names(directory: &mut Dir) -> BTreeMap<String, Kind> {
    let mut names = BTreeMap::new();
    let mut buffer = EntryBuffer::default();
    let entries = directory.entries(&mut buffer).unwrap();
    let ended = entries.visit(|entry| {
        let name = entry.name().unwrap_or("not UTF-8").to_owned();
        names.insert(name, entry.kind());
        ControlFlow::<()>::Continue(())
    });
    assert_eq!(ended.unwrap(), ControlFlow::Continue(()), "all were shown");
    names
}

#[test]
fn second_listing_is_complete() {
    let place = Place::new();
    make_fifo(&place.inside("fifo"));
    place.link("link", "/");
    fs::write(place.inside("").join(OsStr::from_bytes(b"\xff")), "").unwrap();
    let expected = [
        ("fifo", Kind::Other),
        ("file.md", Kind::File),
        ("link", Kind::Link),
        ("not UTF-8", Kind::File),
        ("references", Kind::Directory),
    ];
    let expected: BTreeMap<_, _> = expected.map(|(name, kind)| (name.to_owned(), kind)).into();
    for mut directory in place.opened() {
        assert_eq!(names(&mut directory), expected, "the first listing");
        assert_eq!(names(&mut directory), expected, "a second one starts again");
    }
}

#[test]
fn names_beyond_one_buffer_are_listed() {
    let place = Place::new();
    for number in 0..2_000 {
        fs::File::create(place.inside(&format!("a-name-of-some-length-{number}"))).unwrap();
    }
    let mut directory = Dir::open(place.inside("")).unwrap();
    assert_eq!(names(&mut directory).len(), 2_002, "none is lost between two system calls");
}

#[test]
fn visit_ends_at_break() {
    let place = Place::new();
    let mut directory = Dir::open(place.inside("")).unwrap();
    let mut buffer = EntryBuffer::default();
    let mut seen = 0;
    let ended = directory.entries(&mut buffer).unwrap().visit(|_| {
        seen += 1;
        ControlFlow::Break("enough")
    });
    assert_eq!(ended.unwrap(), ControlFlow::Break("enough"), "with the word that it was given");
    assert_eq!(seen, 1, "and at once");
}

#[test]
fn entry_has_its_inode_and_its_content() {
    let place = Place::new();
    fs::write(place.inside("references").join(OsStr::from_bytes(b"\xff")), "").unwrap();
    for mut directory in place.opened() {
        let listed = directory.open_dir("", prowess_dir::Links::Refuse).unwrap();
        let mut buffer = EntryBuffer::default();
        let mut seen = 0;
        let entries = directory.entries(&mut buffer).unwrap();
        let ended = entries.visit(|entry| {
            let path = place.inside(entry.name().expect("each is UTF-8"));
            assert_eq!(
                entry.inode(),
                std::os::unix::fs::MetadataExt::ino(&path.metadata().unwrap())
            );
            let has_notes = listed.has_below(&entry, "notes.md");
            assert_eq!(has_notes, entry.name() == Some("references"));
            seen += 1;
            ControlFlow::<()>::Continue(())
        });
        assert!(ended.unwrap().is_continue() && seen == 2);
    }
}
