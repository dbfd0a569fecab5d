//! Watches that fail, lose events or end.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use prowess_core::{SkillSource, SourceChange, SourceErrorKind};
use prowess_source_fs::FsConfig;
use prowess_testkit::without_override;

use super::{LONG, SKILL, Watched, config, source, tree, watched, write};

/// As [`watched`], with a listener that is held up by the first packages, until it is released.
fn held(config: FsConfig) -> (Watched, mpsc::Sender<()>) {
    let source = source(config);
    let (sender, changes) = mpsc::channel();
    let (release, held) = mpsc::channel();
    let (held, is_first) = (Mutex::new(held), AtomicBool::new(true));
    let listener = move |change| {
        let is_exact = matches!(change, SourceChange::Packages(_));
        let _ = sender.send(change);
        if is_exact && is_first.swap(false, Ordering::Relaxed) {
            let _ = held.lock().expect("no test panics here").recv_timeout(LONG);
        }
    };
    let watch = source.watch(Arc::new(listener)).expect("there are watches");
    let _watch = watch.expect("directories can be watched");
    (Watched { source, changes, _watch }, release)
}

#[test]
fn a_tree_of_too_many_directories_is_not_watched() {
    let tree = tree();
    let config = FsConfig { max_watched: 3, ..config(&tree) };
    let refused = source(config).watch(Arc::new(|_| {})).expect_err("there are five");
    assert_eq!(refused.kind, SourceErrorKind::TooLarge);
}

#[test]
fn a_tree_that_grows_too_large_is_lost() {
    let tree = tree();
    let watched = watched(FsConfig { max_watched: 5, ..config(&tree) });
    tree.write("skills/one-more/SKILL.md", SKILL);
    assert_eq!(watched.wait_for_loss(), SourceErrorKind::TooLarge);
}

/// The system reports no changes of a directory that may not be listed, and a skill in it can be
/// opened by its name.
#[test]
fn a_directory_that_can_be_entered_and_not_listed_is_not_silently_left_out() {
    let rights = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the rights change");
    };
    without_override(|| {
        let tree = tree();
        // What a link leads to has watches of its own; the common ones have the rights of the test
        // that began them.
        symlink("skills", tree.join("link")).expect("links can be made");
        let config = || FsConfig { root: tree.join("link"), ..config(&tree) };
        let pdf = tree.join("skills/pdf");
        rights(&pdf, 0o300);
        let refused = source(config()).watch(Arc::new(|_| {})).expect_err("it cannot be watched");
        assert_eq!(refused.kind, SourceErrorKind::Denied);
        assert!(refused.message.contains("link/pdf` can be entered and not watched"), "{refused}");
        rights(&pdf, 0o000);
        let watched = watched(config());
        rights(&pdf, 0o700);
        watched.wait_for("pdf");
        rights(&tree.join("skills/group"), 0o300);
        tree.write("skills/group/late/SKILL.md", SKILL);
        assert_eq!(watched.wait_for_loss(), SourceErrorKind::Denied);
    });
}

#[test]
fn a_watch_that_is_dropped_reports_nothing_more() {
    let tree = tree();
    let held = Arc::new(());
    let witness = Arc::clone(&held);
    let listener = Arc::new(move |_| drop(Arc::clone(&witness)));
    let watch = source(config(&tree)).watch(listener).expect("there are watches");
    assert_eq!(Arc::strong_count(&held), 2);
    drop(watch);
    assert_eq!(Arc::strong_count(&held), 1, "the listener is gone");
}

/// The kernel keeps so many events for whoever does not fetch them, and then drops the rest with a
/// word that it did. A listener that is held up holds up the one thread that fetches.
#[test]
fn what_the_operating_system_drops_may_be_anything() {
    let kept = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events");
    let kept: usize = kept.expect("the kernel says it").trim().parse().expect("a number");
    let tree = tree();
    let (watched, release) = held(config(&tree));
    write(tree.join("skills/pdf/SKILL.md"));
    // What other tests do in the directory of all trees may come first, and cover the change.
    let is_exact = |change| matches!(change, SourceChange::Packages(_));
    while !is_exact(watched.changes.recv_timeout(LONG).expect("the first change is reported")) {
        write(tree.join("skills/pdf/SKILL.md"));
    }
    // Each is at least two events that are not alike; the last ones find no room.
    let passing = tree.join("skills/pdf/passing");
    for _ in 0..=kept / 2 {
        fs::write(&passing, "").expect("it can be written");
        fs::remove_file(&passing).expect("it was written");
    }
    tree.write("skills/late/SKILL.md", SKILL);
    release.send(()).expect("the listener waits");
    loop {
        match watched.changes.recv_timeout(LONG).expect("a dropped change is reported") {
            SourceChange::Everything => break,
            SourceChange::Packages(reported) => {
                let is_late = reported.iter().any(|path| path.as_str() == "late");
                assert!(!is_late, "there was no room for it: {reported:?}");
            }
            other => panic!("the watch is kept up, and not {other:?}"),
        }
    }
    watched.exactly("late", || write(tree.join("skills/late/SKILL.md")));
}
