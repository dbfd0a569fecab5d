//! Tests of the comparison of a file's times with a moment.

use std::fs;
use std::path::Path;

use prowess_dir::{Dir, Epoch, FileTime};

use crate::Place;

#[test]
fn file_is_older_after_two_seconds() {
    let changed = FileTime { seconds: 10, nanoseconds: 999_999_999 };
    for (moment, expected) in [(9, false), (10, false), (12, false), (13, true)] {
        assert_eq!(Epoch::is_older(changed, moment), expected, "{moment}");
    }
    let far = FileTime { seconds: i64::MAX, nanoseconds: 0 };
    assert!(!Epoch::is_older(far, i64::MAX), "a time that no clock shows");
}

/// Returns the time at which the machine started, as the kernel reports it.
fn start_of_the_machine() -> i64 {
    let stat = fs::read_to_string("/proc/stat").unwrap();
    let seconds = stat.lines().find_map(|line| line.strip_prefix("btime "));
    seconds.unwrap().parse().unwrap()
}

#[test]
fn moment_is_on_the_clock_of_file_times() {
    let place = Place::new();
    let directory = Dir::open(place.inside("")).unwrap();
    let Some(epoch) = directory.epoch() else {
        let shared = Dir::open("/dev/shm").unwrap();
        assert!(shared.epoch().is_some(), "a file system in memory has reliable times");
        return;
    };
    let before = directory.stat_unconfined("file.md").unwrap().changed;
    fs::write(place.inside("later"), "").unwrap();
    let after = directory.stat_unconfined("later").unwrap().changed;
    assert!(before.seconds <= epoch.moment.seconds && epoch.moment.seconds <= after.seconds + 1);
    assert!((epoch.started - start_of_the_machine()).abs() <= 1, "{epoch:?}");
    let (_, mount) = directory.stat_on_mount("file.md").unwrap();
    assert_eq!(mount, Some(epoch.mount));
}

#[test]
fn times_are_not_reliable_everywhere() {
    assert_eq!(Dir::open("/proc").unwrap().epoch(), None);
}

#[test]
fn mounts_are_told_apart() {
    let root = Dir::open(Path::new("/")).unwrap();
    let mount = |path: &str| root.stat_on_mount(path).unwrap().1.expect("the kernel reports it");
    assert_ne!(mount("proc"), mount("etc"));
    assert_eq!(mount(""), mount("etc"));
    assert_ne!(Dir::open("/proc").unwrap().file_system(), root.file_system());
    let (stat, _) = root.stat_on_mount("etc").unwrap();
    assert_eq!(stat, root.stat_unconfined("etc").unwrap());
}
