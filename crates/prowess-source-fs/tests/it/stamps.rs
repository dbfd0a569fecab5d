//! What is not read again.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use prowess_core::{Cancel, SkillSource, Stamp, Timestamp};
use prowess_source_fs::FsSource;
use prowess_testkit::{ManualClock, ScanRecorder, Tree};

use crate::{config, source, without_override};

fn rescan(source: &FsSource, last: &ScanRecorder) -> ScanRecorder {
    let mut next = last.next();
    source.scan(&mut next, &Cancel::default()).unwrap();
    next
}

fn tree() -> Tree {
    Tree::new("//- /one/SKILL.md\none\n//- /two/skill.md\ntwo\n")
}

#[test]
fn an_unchanged_package_is_not_reported_again() {
    let tree = tree();
    let source = source(config(&tree));
    let next = rescan(&source, &ScanRecorder::scan(&source).unwrap());
    assert!(next.found.is_empty(), "nothing is new");
    assert_eq!(next.unchanged.len(), 2, "both are unchanged");
}

/// The second scan has no right to open the file, and does not notice.
#[test]
fn an_unchanged_package_is_not_opened() {
    let tree = tree();
    fs::set_permissions(tree.join("one/SKILL.md"), Permissions::from_mode(0o000)).unwrap();
    // Whoever is not root cannot read it the first time either; then there is nothing to compare.
    let source = source(config(&tree));
    let first = ScanRecorder::scan(&source).unwrap();
    without_override(|| {
        let next = rescan(&source, &first);
        assert_eq!(next.unchanged.len(), first.found.len(), "what was found is unchanged");
        assert_eq!(next.problems, first.problems, "nothing was opened in vain");
    });
}

#[test]
fn a_change_that_keeps_the_size_is_seen() {
    let tree = tree();
    let source = source(config(&tree));
    let first = ScanRecorder::scan(&source).unwrap();
    fs::write(tree.join("one/SKILL.md"), "ONE\n").unwrap();
    let next = rescan(&source, &first);
    assert_eq!(next.packages(), ["one"], "the changed one is read again");
    assert_eq!(next.unchanged, ["two"], "the other is not");
}

#[test]
fn a_change_that_sets_its_time_back_is_seen() {
    let tree = tree();
    let file = tree.join("one/SKILL.md");
    let time = fs::metadata(&file).unwrap().modified().unwrap();
    let source = source(config(&tree));
    let first = ScanRecorder::scan(&source).unwrap();
    fs::write(&file, "ONE\n").unwrap();
    File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
    assert_eq!(rescan(&source, &first).packages(), ["one"], "the kernel's own time tells");
}

#[test]
fn a_file_that_is_replaced_by_another_is_seen() {
    let tree = tree();
    let source = source(config(&tree));
    let first = ScanRecorder::scan(&source).unwrap();
    fs::rename(tree.join("two/skill.md"), tree.join("two/SKILL.md")).unwrap();
    let next = rescan(&source, &first);
    assert_eq!(next.found[0].file, "SKILL.md", "the better name is reported");
    assert_eq!(next.unchanged, ["one"], "the other is not");
}

/// A file that was written this moment may be written again without its time changing.
#[test]
fn a_file_that_has_just_changed_gets_no_stamp() {
    let tree = tree();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let stamps_at = |now: Duration| -> Vec<Option<Stamp>> {
        let now = Timestamp(u64::try_from(now.as_millis()).unwrap());
        let source = FsSource::new(config(&tree), Arc::new(ManualClock::at(now)));
        let scan = ScanRecorder::scan(&source).unwrap();
        scan.found.iter().map(|found| found.stamp).collect()
    };
    assert_eq!(stamps_at(now), [None, None], "its stamp could not be relied on");
    let later = stamps_at(now + Duration::from_secs(60));
    assert!(later.iter().all(Option::is_some), "a minute later it can");
}

#[test]
fn a_long_file_is_read_further_when_asked() {
    let tree = tree();
    let text = "x".repeat(20_000);
    tree.write("one/SKILL.md", &text);
    let source = source(config(&tree));
    let head = &ScanRecorder::scan(&source).unwrap().found;
    let one = head.iter().find(|found| found.package == "one").unwrap();
    assert_eq!((one.head.len(), one.is_whole_file), (4096, false), "the head is 4 KiB");

    let mut recorder = ScanRecorder { reads_to_the_end: true, ..ScanRecorder::default() };
    source.scan(&mut recorder, &Cancel::default()).unwrap();
    let last = recorder.found.iter().rfind(|found| found.package == "one").unwrap();
    assert!(last.is_whole_file && last.head == text.as_bytes(), "asked to, it is read whole");
}
