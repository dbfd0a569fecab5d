//! Tests of files that are opened before their kind is known.

use std::fs;
use std::path::PathBuf;

use prowess_dir::{Dir, ErrorKind, Links, Refusals, SpentFiles};

use crate::{Place, make_fifo};

#[test]
fn kind_is_checked_when_the_file_is_read() {
    let place = Place::new();
    make_fifo(&place.inside("fifo"));
    place.link("linked", "fifo");
    fs::write(place.inside("empty"), "").unwrap();
    for directory in place.opened() {
        for (path, size, length, is_whole_file) in [("file.md", 4, 3, false), ("empty", 0, 0, true)]
        {
            let file = directory.open_unchecked(path, Links::Refuse).unwrap();
            assert!(!file.refuses_hard_links());
            assert_eq!(file.size().unwrap(), size);
            let head = file.read_head(&mut [0; 3]).unwrap();
            assert_eq!((head.length, head.is_whole_file), (length, is_whole_file), "{path}");
            assert_eq!(file.into_file().unwrap().read_whole(4).unwrap().len() as u64, size);
        }
        for path in ["fifo", "references"] {
            let open = || directory.open_unchecked(path, Links::Refuse).unwrap();
            let read = open().read_head(&mut [0; 8]).err().map(|error| error.kind());
            assert_eq!(read, Some(ErrorKind::NotRegular), "{path} is read");
            let checked = open().into_file().err().map(|error| error.kind());
            assert_eq!(checked, Some(ErrorKind::NotRegular), "{path} is checked");
        }
        let device = Dir::open("/dev").unwrap();
        let zero = device.open_unchecked("zero", Links::Refuse).unwrap();
        assert_eq!(zero.size().unwrap_err().kind(), ErrorKind::NotRegular);
        for path in ["fifo/x", "linked/x"] {
            let behind = directory.open_unchecked(path, Links::FollowInside).unwrap_err();
            assert_eq!(behind.kind(), ErrorKind::NotADirectory, "no FIFO is waited for: {path}");
        }
        let directory = directory.refusing(Refusals { hard_links: true, mounts: false });
        let file = directory.open_unchecked("file.md", Links::Refuse).unwrap();
        assert!(file.refuses_hard_links());
        file.into_file().expect("it has one name");
    }
}

/// Returns the number of descriptors of files below a place.
fn open_files(place: &Place) -> usize {
    let below =
        |entry: PathBuf| fs::read_link(entry).is_ok_and(|at| at.starts_with(place.0.path()));
    let entries = fs::read_dir("/proc/self/fd").unwrap();
    entries.filter(|entry| below(entry.as_ref().unwrap().path())).count()
}

#[test]
fn spent_files_are_closed_together() {
    let place = Place::new();
    let directory = Dir::open(place.inside("")).unwrap();
    let before = open_files(&place);
    let mut spent = SpentFiles::default();
    let push = |spent: &mut SpentFiles, count: usize| {
        for _ in 0..count {
            spent.push(directory.open_unchecked("file.md", Links::Refuse).unwrap());
        }
    };
    push(&mut spent, 15);
    assert_eq!((open_files(&place) - before, spent.is_empty()), (15, false));
    push(&mut spent, 1);
    assert_eq!((open_files(&place) - before, spent.is_empty()), (0, true), "there are sixteen");
    push(&mut spent, 2);
    spent.close();
    assert_eq!(open_files(&place), before, "asked for");
    push(&mut spent, 2);
    drop(spent);
    assert_eq!(open_files(&place), before, "dropped");
}
