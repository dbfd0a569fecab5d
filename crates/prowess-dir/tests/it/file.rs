//! Tests of reading files.

use std::fs;

use prowess_dir::{Dir, ErrorKind, Kind, Links};

use crate::Place;

#[test]
fn file_over_the_limit_is_not_read() {
    let place = Place::new();
    let directory = Dir::open(place.inside("")).unwrap();
    assert_eq!(directory.read("file.md", 4).unwrap(), b"file", "as long as the limit");
    let error = directory.read("file.md", 3).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge, "longer than the limit");
    fs::write(place.inside("empty"), "").unwrap();
    assert_eq!(directory.read("empty", 0).unwrap(), b"", "nothing fits into nothing");
}

#[test]
fn head_reports_the_end_of_the_file() {
    let place = Place::new();
    let directory = Dir::open(place.inside("")).unwrap();
    let file = directory.open_file("file.md", Links::Refuse).unwrap();
    for (room, length, is_whole_file) in [(10, 4, true), (4, 4, true), (3, 3, false)] {
        let mut buffer = vec![0; room];
        let head = file.read_head(&mut buffer).unwrap();
        assert_eq!((head.length, head.is_whole_file), (length, is_whole_file), "room for {room}");
        assert_eq!(buffer[..length], b"file"[..length], "the bytes from the beginning");
    }
}

#[test]
fn head_of_a_file_that_became_shorter_ends_where_it_ends() {
    let place = Place::new();
    let directory = Dir::open(place.inside("")).unwrap();
    let file = directory.open_file("file.md", Links::Refuse).unwrap();
    fs::write(place.inside("file.md"), "fi").unwrap();
    let mut buffer = vec![0; 10];
    let head = file.read_head(&mut buffer).unwrap();
    assert_eq!((head.length, head.is_whole_file), (2, true));
}

/// The kernel reports no size for these, and returns their text all the same.
#[cfg(target_os = "linux")]
#[test]
fn file_without_a_size_is_read_whole_or_refused() {
    let directory = Dir::open("/proc/self").unwrap();
    let status = directory.read("status", 1 << 20).unwrap();
    assert!(status.starts_with(b"Name:") && status.ends_with(b"\n"), "read to its end");
    let error = directory.read("status", 100).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge, "the limit holds for it too");
    let directory = Dir::open("/proc").unwrap();
    let length = directory.read("version", 1 << 20).unwrap().len();
    assert_eq!(directory.read("version", length).unwrap().len(), length, "as long as the limit");
    let error = directory.read("version", length - 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge, "longer than the limit");
}

#[test]
fn every_stat_call_returns_the_same() {
    let place = Place::new();
    place.link("link", "file.md");
    for directory in place.opened() {
        let file = directory.open_file("file.md", Links::Refuse).unwrap();
        assert_eq!(directory.stat("file.md", Links::Refuse).unwrap(), *file.stat());
        assert_eq!(directory.stat("link", Links::FollowInside).unwrap(), *file.stat());
        assert_eq!(directory.stat_unconfined("file.md").unwrap(), *file.stat());
        assert_eq!(directory.stat_unconfined("link").unwrap().kind, Kind::Link);
        let refused = directory.stat("link", Links::Refuse).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Link, "a look goes through no link unasked");
        assert_eq!(directory.stat("", Links::Refuse).unwrap().kind, Kind::Directory);
    }
}
