//! Files that are read while an editor saves them in place.

use std::fs::{self, File};
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
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

/// The time of the tests with a manual clock.
const NOW: Timestamp = Timestamp(1_700_000_000_000);

/// Writes the file as if it had been at this time.
fn save(file: &Path, text: &[u8], at: Timestamp) {
    fs::write(file, text).unwrap();
    let at = UNIX_EPOCH + Duration::from_millis(at.0);
    File::options().append(true).open(file).unwrap().set_modified(at).unwrap();
}

fn read(source: &FsSource) -> Result<Vec<u8>, SourceErrorKind> {
    let skill_md = ResourcePath::new("SKILL.md").unwrap();
    let read = source.read(&PackagePath::new("pdf").unwrap(), &skill_md, ReadLimit::default());
    read.map_err(|error| error.kind)
}

#[test]
fn file_that_is_being_saved_is_read_once_it_is_whole() {
    let (tree, file) = tree();
    save(&file, &NEW[..9], NOW);
    let clock = Arc::new(ManualClock::at(NOW));
    let source = FsSource::new(config(&tree), clock.clone());
    // The editor finishes, and the file stays as it is.
    let source = source.with_pause(move |pause| {
        save(&file, NEW, NOW);
        clock.advance(pause);
    });
    assert_eq!(read(&source), Ok(NEW.to_vec()), "a part of a file is not its content");
}

#[test]
fn file_that_was_saved_just_now_costs_one_pause() {
    let (tree, file) = tree();
    save(&file, OLD, NOW);
    let clock = Arc::new(ManualClock::at(NOW));
    let pauses = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&pauses);
    let advanced = Arc::clone(&clock);
    let source = FsSource::new(config(&tree), clock).with_pause(move |pause| {
        count.fetch_add(1, Ordering::Relaxed);
        advanced.advance(pause);
    });
    assert_eq!(read(&source), Ok(OLD.to_vec()));
    assert_eq!(pauses.load(Ordering::Relaxed), 1, "it is read again after a pause");
    assert_eq!(read(&source), Ok(OLD.to_vec()));
    assert_eq!(pauses.load(Ordering::Relaxed), 1, "an older file is read at once");
}

#[test]
fn file_that_never_rests_is_an_error() {
    let (tree, file) = tree();
    save(&file, OLD, NOW);
    let clock = Arc::new(ManualClock::at(NOW));
    let pauses = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&pauses);
    let source = FsSource::new(config(&tree), clock.clone()).with_pause(move |pause| {
        count.fetch_add(1, Ordering::Relaxed);
        clock.advance(pause);
        save(&file, NEW, clock.now());
    });
    assert_eq!(read(&source), Err(SourceErrorKind::Changing), "never a prefix");
    assert_eq!(pauses.load(Ordering::Relaxed), 4, "the wait has an end");
    assert_eq!(SourceErrorKind::Changing.as_str(), "skill-changing");
}

/// A clock that moves ten seconds each time that it is read, as for a thread that waits for a
/// processor between two statements.
struct Stalling(AtomicU64);

impl Clock for Stalling {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.fetch_add(10_000, Ordering::Relaxed))
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}

/// The file is old at the end of the read and was not there at its start, so it was read while it
/// was written.
#[test]
fn file_that_was_saved_during_a_slow_read_costs_one_pause() {
    let (tree, file) = tree();
    save(&file, OLD, Timestamp(NOW.0 + 5_000));
    let pauses = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&pauses);
    let clock = Arc::new(Stalling(AtomicU64::new(NOW.0)));
    let source = FsSource::new(config(&tree), clock).with_pause(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(read(&source), Ok(OLD.to_vec()));
    assert_eq!(pauses.load(Ordering::Relaxed), 1, "the start of the read counts too");
}

/// The time of the machine, which stands still at the last write while a save is unfinished: however
/// long the writer waits for a processor, it is in the middle of a save.
#[derive(Default)]
struct SavesAtOnce(Mutex<Option<Timestamp>>);

impl SavesAtOnce {
    /// Makes one step of a save, at whose time the clock stands then.
    fn step(&self, file: &mut File, step: impl FnOnce(&mut File) -> io::Result<()>) {
        let mut stands = self.0.lock().unwrap();
        step(file).unwrap();
        *stands = Some(since_1970(file.metadata().unwrap().modified().unwrap()));
    }

    fn finish(&self) {
        *self.0.lock().unwrap() = None;
    }
}

impl Clock for SavesAtOnce {
    fn now(&self) -> Timestamp {
        self.0.lock().unwrap().unwrap_or_else(|| since_1970(SystemTime::now()))
    }

    fn elapsed(&self) -> Duration {
        Duration::from_millis(self.now().0)
    }
}

fn since_1970(time: SystemTime) -> Timestamp {
    let since = time.duration_since(UNIX_EPOCH).expect("it is after 1970");
    Timestamp(u64::try_from(since.as_millis()).expect("it is before the end of time"))
}

#[test]
fn raced_saves_never_show_a_prefix() {
    const SAVES: usize = 10;
    let (tree, file) = tree();
    let clock = Arc::new(SavesAtOnce::default());
    let steps = Arc::clone(&clock);
    // Until the step is done that the writer makes at this moment.
    let source = FsSource::new(config(&tree), clock.clone()).with_pause(move |_| {
        drop(steps.0.lock());
        thread::yield_now();
    });
    let complete = AtomicUsize::new(0);
    let is_over = AtomicBool::new(false);
    let mut prefixes = Vec::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = File::options().write(true).open(&file).unwrap();
            for version in [NEW, OLD].into_iter().cycle().take(SAVES) {
                let seen = complete.load(Ordering::Relaxed);
                file.rewind().unwrap();
                clock.step(&mut file, |file| file.set_len(0));
                for byte in version {
                    clock.step(&mut file, |file| file.write_all(&[*byte]));
                    thread::yield_now();
                }
                clock.finish();
                // Until the reader has had a whole version.
                while complete.load(Ordering::Relaxed) == seen && !is_over.load(Ordering::Relaxed) {
                    thread::yield_now();
                }
            }
            is_over.store(true, Ordering::Relaxed);
        });
        while !is_over.load(Ordering::Relaxed) {
            let Ok(bytes) = read(&source) else { continue };
            if bytes == NEW || bytes == OLD {
                complete.fetch_add(1, Ordering::Relaxed);
            } else {
                prefixes.push(bytes);
                is_over.store(true, Ordering::Relaxed);
            }
        }
    });
    assert!(prefixes.is_empty(), "a part of a file is not its content: {prefixes:?}");
}
