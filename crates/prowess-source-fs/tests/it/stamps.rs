//! Unchanged files are not read again.

use std::collections::HashSet;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use prowess_core::{SameVersion, Stamp, Timestamp};
use prowess_source_fs::FsSource;
use prowess_testkit::{ManualClock, ScanRecorder, Tree, without_override};

use crate::{config, source};

fn rescan(source: &FsSource, last: &ScanRecorder) -> ScanRecorder {
    last.next().record(source).unwrap()
}

fn tree() -> Tree {
    Tree::new("//- /one/SKILL.md\none\n//- /two/skill.md\ntwo\n")
}

/// Returns the second scan of a new tree: the stamps of the first are provisional, so the second
/// reads once more and gives proper ones.
fn stable(source: &FsSource) -> ScanRecorder {
    rescan(source, &ScanRecorder::scan(source).unwrap())
}

#[test]
fn an_unchanged_package_is_not_reported_again() {
    let tree = tree();
    let source = source(config(&tree));
    let next = rescan(&source, &stable(&source));
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
    let first = stable(&source);
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
    let first = stable(&source);
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
    let first = stable(&source);
    fs::write(&file, "ONE\n").unwrap();
    File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
    assert_eq!(rescan(&source, &first).packages(), ["one"], "the kernel's own time shows it");
}

/// The first scan of a tree does not look at its files' dates. Whoever edits one then, keeps its
/// size and sets its time back, is found out by the time that the kernel keeps.
#[test]
fn a_change_after_the_first_scan_is_seen_however_its_time_is_set() {
    let long_ago = SystemTime::now() - Duration::from_secs(3_600);
    let age = |file: &Path| {
        File::options().write(true).open(file).unwrap().set_modified(long_ago).unwrap();
    };
    type Edit<'e> = (&'static str, &'e dyn Fn(&Path));
    let edits: [Edit<'_>; 3] = [
        ("edited in place", &|file| fs::write(file, "ONE\n").unwrap()),
        ("saved by a rename", &|file| {
            let saved = file.with_extension("new");
            fs::write(&saved, "ONE\n").unwrap();
            age(&saved);
            fs::rename(saved, file).unwrap();
        }),
        ("its directory replaced", &|file| {
            let old = file.parent().unwrap();
            let (new, aside) = (old.with_file_name("new"), old.with_file_name("aside"));
            fs::create_dir(&new).unwrap();
            fs::write(new.join("SKILL.md"), "ONE\n").unwrap();
            age(&new.join("SKILL.md"));
            fs::rename(old, aside).unwrap();
            fs::rename(new, old).unwrap();
        }),
    ];
    for (how, edit) in edits {
        let tree = tree();
        let file = tree.join("one/SKILL.md");
        age(&file);
        let source = source(config(&tree));
        let first = ScanRecorder::scan(&source).unwrap();
        edit(&file);
        age(&file);
        let next = rescan(&source, &first);
        let found = next.found.iter().find(|found| found.package == "one");
        assert_eq!(found.map(|found| &*found.head), Some(&b"ONE\n"[..]), "{how}");
    }
}

/// A stamp of a first scan saves a read if the file system dates every change.
#[test]
fn a_first_scan_gives_provisional_stamps_where_they_can_be_relied_on() {
    let tree = tree();
    let is_provisional = prowess_dir::Dir::open(tree.path()).unwrap().epoch().is_some();
    let scan = ScanRecorder::scan(&source(config(&tree))).unwrap();
    for found in &scan.found {
        let stamp = found.stamp.expect("a stamp of one kind or the other");
        assert_eq!(stamp.is_provisional(), is_provisional, "{}", found.package);
    }
}

/// Provisional stamps are made of whole seconds, so two scans of one second would give the same to
/// two versions. Three of them cannot lie in three seconds.
#[test]
fn no_two_scans_give_one_stamp_to_two_versions() {
    let tree = tree();
    let source = source(config(&tree));
    let mut stamps = Vec::new();
    for version in ["ONE\n", "one\n", "One\n"] {
        fs::write(tree.join("one/SKILL.md"), version).unwrap();
        let found = ScanRecorder::scan(&source).unwrap().found;
        let one = found.into_iter().find(|found| found.package == "one").expect("it is there");
        stamps.extend(one.stamp);
    }
    let distinct: HashSet<_> = stamps.iter().collect();
    assert_eq!(distinct.len(), stamps.len(), "each version has a stamp of its own: {stamps:?}");
}

#[test]
fn a_file_that_is_replaced_by_another_is_seen() {
    let tree = tree();
    let source = source(config(&tree));
    let first = stable(&source);
    fs::rename(tree.join("two/skill.md"), tree.join("two/SKILL.md")).unwrap();
    let next = rescan(&source, &first);
    assert_eq!(next.found[0].file, "SKILL.md", "the better name is reported");
    assert_eq!(next.unchanged, ["one"], "the other is not");
}

/// A file that was written this moment may be written again without its time changing.
#[test]
fn a_file_that_has_just_changed_gets_a_young_stamp() {
    let tree = tree();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let stamps_at = |now: Duration| -> Vec<Stamp> {
        let now = Timestamp(u64::try_from(now.as_millis()).unwrap());
        let source = FsSource::new(config(&tree), Arc::new(ManualClock::at(now)));
        stable(&source).found.iter().filter_map(|found| found.stamp).collect()
    };
    let (young, old) = (stamps_at(now), stamps_at(now + Duration::from_secs(60)));
    assert_eq!(young.iter().map(|stamp| stamp.is_racy()).collect::<Vec<_>>(), [true, true]);
    assert_eq!(old.iter().map(|stamp| stamp.is_racy()).collect::<Vec<_>>(), [false, false]);
    for (old, young) in old.iter().zip(&young) {
        let versions = [old.same_version(*young), young.same_version(*old)];
        assert_eq!(versions, [SameVersion::Unknown; 2], "nothing has changed meanwhile");
    }
    tree.write("one/SKILL.md", "Another text altogether.");
    let edited = stamps_at(now);
    let version = edited[0].same_version(young[0]);
    assert_eq!(version, SameVersion::No, "an edit shows in a racy stamp too");
}

#[test]
fn a_long_file_is_read_further_when_asked() {
    let tree = tree();
    let text = "x".repeat(20_000);
    tree.write("one/SKILL.md", &text);
    let source = source(config(&tree));
    let head = &ScanRecorder::scan(&source).unwrap().found;
    let one = head.iter().find(|found| found.package == "one").unwrap();
    assert_eq!((one.head.len(), one.is_whole_file), (2048, false), "the head is 2 KiB");

    let recorder = ScanRecorder { reads_to_the_end: true, ..ScanRecorder::default() };
    let recorder = recorder.record(&source).unwrap();
    let last = recorder.found.iter().rfind(|found| found.package == "one").unwrap();
    assert!(last.is_whole_file && last.head == text.as_bytes(), "asked to, it is read whole");
}
