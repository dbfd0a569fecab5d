//! Tests of provisional stamps with different times.
//!
//! These tests are here and not in `tests/it` because no program can set the time of a file's last
//! change, so with real files only recent changes can be tested.

use prowess_core::Timestamp;
use prowess_dir::{Epoch, FileTime, Kind, Stat};

use super::{Found, Listed, is_as_listed, is_of, listing, provisional, verdict};
use crate::stamp::{Verdict, proper};

const BEGAN: Epoch = Epoch {
    moment: FileTime { seconds: 1_000_000, nanoseconds: 5 },
    started: 700,
    mount: 3,
    file_system: 11,
};

const FOUND: Found<'static> = Found { file: "SKILL.md", directory: 42 };

/// A file that was changed an hour before.
const OLD: Stat = Stat {
    kind: Kind::File,
    size: 100,
    modified: FileTime { seconds: 996_400, nanoseconds: 0 },
    changed: FileTime { seconds: 996_400, nanoseconds: 0 },
    inode: 7,
    device: 1,
    links: 1,
    is_executable: false,
};

/// Returns the verdict of the stamp of a scan that started at [`BEGAN`], a minute later.
fn after_a_minute(found: Found<'_>, stat: Stat, mount: Option<u64>, started: i64) -> Verdict {
    let seconds = BEGAN.moment.seconds + 60;
    let now = Epoch { moment: FileTime { seconds, nanoseconds: 0 }, started, ..BEGAN };
    let given = provisional(FOUND, &BEGAN);
    if is_of(given, found, &now) { verdict(given, &now, (&stat, mount)) } else { Verdict::Changed }
}

fn changed_at(seconds: i64) -> Stat {
    // Programs can set the time of the content, so it is not used.
    Stat { changed: FileTime { seconds, nanoseconds: 0 }, ..OLD }
}

#[test]
fn the_time_of_the_last_change_decides() {
    let cases = [
        (BEGAN.moment.seconds - 3_600, Verdict::Unchanged),
        (BEGAN.moment.seconds - 3, Verdict::Unchanged),
        // Within the margin of the clock: the file may have changed before it was read or after.
        (BEGAN.moment.seconds - 2, Verdict::Unknown),
        (BEGAN.moment.seconds, Verdict::Unknown),
        (BEGAN.moment.seconds + 1, Verdict::Changed),
        (BEGAN.moment.seconds + 59, Verdict::Changed),
    ];
    for (seconds, wanted) in cases {
        let verdict = after_a_minute(FOUND, changed_at(seconds), Some(3), 700);
        assert_eq!(verdict, wanted, "changed {} s after the scan", seconds - BEGAN.moment.seconds);
    }
}

#[test]
fn a_file_elsewhere_is_another_one_however_old() {
    let directory = Found { directory: 43, ..FOUND };
    let name = Found { file: "skill.md", ..FOUND };
    let link = Stat { kind: Kind::Link, ..OLD };
    for (found, stat, mount, started, what) in [
        (directory, OLD, Some(3), 700, "a directory took its place"),
        (name, OLD, Some(3), 700, "another name"),
        (FOUND, OLD, Some(4), 700, "something was mounted over it"),
        (FOUND, OLD, None, 700, "the mount is unknown"),
        (FOUND, OLD, Some(3), 701, "the clock was set"),
        (FOUND, link, Some(3), 700, "no file any more"),
    ] {
        assert_eq!(after_a_minute(found, stat, mount, started), Verdict::Changed, "{what}");
    }
    assert_eq!(after_a_minute(FOUND, OLD, Some(3), 700), Verdict::Unchanged, "the same file");
}

/// Two images that were made alike have equal files in the same places.
#[test]
fn a_proper_stamp_is_of_one_file_system() {
    let of = |file_system| proper("SKILL.md", &OLD, file_system, Timestamp(0));
    assert_ne!(of(11), of(12));
}

#[test]
fn a_stamp_of_the_future_is_not_believed() {
    let earlier = Epoch { moment: FileTime { seconds: 999_999, nanoseconds: 0 }, ..BEGAN };
    let verdict = verdict(provisional(FOUND, &BEGAN), &earlier, (&OLD, Some(3)));
    assert_eq!(verdict, Verdict::Changed, "the clock was set back by less than shows otherwise");
}

#[test]
fn a_listing_stands_for_this_version_of_this_directory_with_these_names() {
    let listed = Listed { inode: 7, device: 1, changed: OLD.changed, count: 3, sum: 99 };
    let given = listing(listed, &BEGAN).expect("it changed long before");
    let after = |seconds| FileTime { seconds: BEGAN.moment.seconds + seconds, nanoseconds: 0 };
    let now = Epoch { moment: after(60), ..BEGAN };
    assert!(is_as_listed(given, listed, &now), "nothing has changed");
    let older = FileTime { seconds: OLD.changed.seconds - 1, ..OLD.changed };
    for (other, what) in [
        (Listed { inode: 8, ..listed }, "another directory"),
        (Listed { device: 2, ..listed }, "another disk"),
        (Listed { changed: after(10), ..listed }, "a directory that has changed"),
        (
            Listed { changed: older, ..listed },
            "an older one, as on a disk that was mounted instead",
        ),
        (Listed { count: 4, ..listed }, "a name more"),
        (Listed { sum: 98, ..listed }, "other names"),
    ] {
        assert!(!is_as_listed(given, other, &now), "{what}");
    }
    for (now, what) in [
        (Epoch { mount: 4, ..now }, "another mount"),
        (Epoch { file_system: 12, ..now }, "another file system"),
        (Epoch { started: 701, ..now }, "a clock that was set"),
        (Epoch { moment: after(-1), ..now }, "a stamp of the future"),
    ] {
        assert!(!is_as_listed(given, listed, &now), "{what}");
    }
    for seconds in [-2, 0, 1] {
        let young = Listed { changed: after(seconds), ..listed };
        assert!(
            listing(young, &BEGAN).is_none(),
            "changed {seconds} s after: a change may not show"
        );
    }
}
