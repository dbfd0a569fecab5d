//! Files that are read while an editor saves them in place.

use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use prowess_core::{
    Clock, PackagePath, ReadLimit, ResourcePath, SkillSource, SourceErrorKind, Timestamp,
};
use prowess_source_fs::FsSource;
use prowess_testkit::{ManualClock, Tree};

use crate::config;

const OLD: &[u8] = b"The old version, whole.\n";
const NEW: &[u8] = b"The new version, which is longer, whole.\n";

fn tree() -> (Tree, PathBuf) {
    let tree = Tree::new("");
    tree.write("pdf/SKILL.md", OLD);
    let file = tree.join("pdf/SKILL.md");
    (tree, file)
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
    Timestamp(u64::try_from(since.as_millis()).expect("it is before the end of time"))
}

fn read(source: &FsSource) -> Result<Vec<u8>, SourceErrorKind> {
    let skill_md = ResourcePath::new("SKILL.md").unwrap();
    let read = source.read(&PackagePath::new("pdf").unwrap(), &skill_md, ReadLimit::default());
    read.map_err(|error| error.kind)
}

#[test]
fn file_that_is_being_saved_is_read_once_it_is_whole() {
    let (tree, file) = tree();
    fs::write(&file, &NEW[..9]).unwrap();
    let clock = Arc::new(ManualClock::at(now()));
    let source = FsSource::new(config(&tree), clock.clone());
    // The editor finishes, and the file stays as it is.
    let source = source.with_pause(move |pause| {
        fs::write(&file, NEW).unwrap();
        clock.advance(pause * 1_000);
    });
    assert_eq!(read(&source), Ok(NEW.to_vec()), "a part of a file is not its content");
}

#[test]
fn file_that_was_saved_just_now_costs_one_pause() {
    let (tree, _) = tree();
    let clock = Arc::new(ManualClock::at(now()));
    let pauses = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&pauses);
    let advanced = Arc::clone(&clock);
    let source = FsSource::new(config(&tree), clock).with_pause(move |pause| {
        count.fetch_add(1, Ordering::Relaxed);
        advanced.advance(pause * 100);
    });
    assert_eq!(read(&source), Ok(OLD.to_vec()));
    assert_eq!(pauses.load(Ordering::Relaxed), 1, "it is read again after a pause");
    assert_eq!(read(&source), Ok(OLD.to_vec()));
    assert_eq!(pauses.load(Ordering::Relaxed), 1, "an older file is read at once");
}

#[test]
fn file_that_never_rests_is_an_error() {
    let (tree, file) = tree();
    let clock = Arc::new(ManualClock::at(now()));
    let pauses = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&pauses);
    let source = FsSource::new(config(&tree), clock).with_pause(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        fs::write(&file, NEW).unwrap();
    });
    assert_eq!(read(&source), Err(SourceErrorKind::Changing), "never a prefix");
    assert_eq!(pauses.load(Ordering::Relaxed), 4, "the wait has an end");
    assert_eq!(SourceErrorKind::Changing.as_str(), "skill-changing");
}

/// The time of the machine, as a host has it.
struct Now;

impl Clock for Now {
    fn now(&self) -> Timestamp {
        now()
    }

    fn elapsed(&self) -> Duration {
        Duration::from_millis(now().0)
    }
}

#[test]
fn raced_saves_never_show_a_prefix() {
    const READS: usize = 4_000;
    let (tree, file) = tree();
    let source = FsSource::new(config(&tree), Arc::new(Now)).with_pause(|_| thread::yield_now());
    let is_over = AtomicBool::new(false);
    let mut prefixes = Vec::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            for version in [NEW, OLD].into_iter().cycle() {
                let mut file = File::create(&file).unwrap();
                for chunk in version.chunks(8) {
                    file.write_all(chunk).unwrap();
                    thread::yield_now();
                }
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
        for _ in 0..READS {
            prefixes.extend(read(&source).ok().filter(|bytes| bytes != NEW && bytes != OLD));
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(prefixes.is_empty(), "{} prefixes, such as {:?}", prefixes.len(), prefixes[0]);
}
