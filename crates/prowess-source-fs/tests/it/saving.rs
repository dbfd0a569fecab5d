//! Files that are read while an editor saves them in place.
#![allow(unsafe_code, reason = "a mapping of a file, which another program may write through")]

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::ptr::{null_mut, with_exposed_provenance_mut};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use prowess_core::{
    Clock, PackagePath, ReadLimit, ResourcePath, SkillSource, SourceErrorKind, Timestamp,
};
use prowess_source_fs::{FsConfig, FsSource};
use prowess_testkit::{ManualClock, ScanRecorder, Tree};
use rustix::mm::{MapFlags, ProtFlags, mmap};

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
    for (ahead, waits) in [(30_000, 2), (100_000, 2)] {
        save(&file, OLD, Timestamp(NOW.0 + ahead));
        assert_eq!(read(&source), Ok(OLD.to_vec()));
        let is = pauses.load(Ordering::Relaxed);
        assert_eq!(is, waits, "{ahead} ms: the clock of the files is ahead, or has a wrong time");
    }
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

/// One step of a writer.
type Step = Box<dyn Fn(&Path) + Send + Sync>;

fn step(step: impl Fn(&Path) + Send + Sync + 'static) -> Step {
    Box::new(step)
}

/// Appends a part of the new version; the first one after truncation.
fn part(range: std::ops::Range<usize>, then: fn(&File)) -> Step {
    step(move |file| {
        let mut options = File::options();
        let mut file = options.append(true).open(file).unwrap();
        if range.start == 0 {
            file.set_len(0).unwrap();
        }
        file.write_all(&NEW[range.clone()]).unwrap();
        then(&file);
    })
}

/// Sets the time of the content back, as programs do that restore files.
fn put_back(file: &File) {
    file.set_modified(UNIX_EPOCH).unwrap();
}

/// Stores a part of the new version through a mapping that stays, so that only the first store
/// changes the times, and on some file systems not even that one.
fn mapped(range: std::ops::Range<usize>, mapping: &Arc<AtomicUsize>) -> Step {
    let mapping = Arc::clone(mapping);
    step(move |file| {
        if range.start == 0 {
            let file = File::options().read(true).write(true).open(file).unwrap();
            file.set_len(NEW.len() as u64).unwrap();
            let rights = ProtFlags::READ | ProtFlags::WRITE;
            // SAFETY: no address is asked for, and the mapping is used below only.
            let mapped = unsafe { mmap(null_mut(), NEW.len(), rights, MapFlags::SHARED, &file, 0) };
            mapping.store(mapped.unwrap().expose_provenance(), Ordering::SeqCst);
        }
        let to = with_exposed_provenance_mut::<u8>(mapping.load(Ordering::SeqCst));
        // SAFETY: the mapping is as long as the text, and never removed.
        unsafe { to.add(range.start).copy_from(NEW[range.clone()].as_ptr(), range.len()) };
    })
}

fn changed(file: &Path) -> u64 {
    let metadata = file.metadata().unwrap();
    u64::try_from(metadata.ctime() * 1_000 + metadata.ctime_nsec() / 1_000_000).unwrap()
}

/// Reads while a writer makes its first step 40 ms before and each further one in the middle of a
/// wait.
fn read_beside(steps: Vec<Step>, moves_times: bool) -> Result<Vec<u8>, SourceErrorKind> {
    let (tree, file) = tree();
    steps[0](&file);
    let clock = Arc::new(ManualClock::at(Timestamp(changed(&file) + 40)));
    let (time, next) = (Arc::clone(&clock), AtomicUsize::new(1));
    let source = FsSource::new(config(&tree), clock).with_pause(move |pause| {
        let step = steps.get(next.fetch_add(1, Ordering::SeqCst));
        if let Some(step) = step {
            step(&file);
        }
        if step.is_none() || !moves_times {
            time.advance(pause);
        } else {
            let now = changed(&file) + 40;
            time.advance(Duration::from_millis(now.saturating_sub(time.now().0)));
        }
    });
    read(&source)
}

#[test]
fn writer_that_pauses_briefly_is_awaited_however_it_writes() {
    let check = |writer: &str, steps: Vec<Step>, moves_times: bool| {
        assert_eq!(read_beside(steps, moves_times), Ok(NEW.to_vec()), "{writer}");
    };
    let end = NEW.len();
    let keep: fn(&File) = |_| ();
    let parts = |then| vec![part(0..9, then), part(9..20, then), part(20..end, then)];
    check("in parts", parts(keep), true);
    check("in parts, and puts the time back", parts(put_back), true);
    check("truncates first", vec![part(0..0, put_back), part(0..end, put_back)], true);
    let rename = step(|file| {
        let other = file.with_extension("new");
        fs::write(&other, NEW).unwrap();
        put_back(&File::options().append(true).open(&other).unwrap());
        fs::rename(other, file).unwrap();
    });
    check("renames", vec![rename], true);
    let mapping = Arc::default();
    let stores = vec![mapped(0..9, &mapping), mapped(9..20, &mapping), mapped(20..end, &mapping)];
    check("through a mapping", stores, false);
}

/// The beginning of a `SKILL.md` that a scan reports while it is saved; nothing if the record stays.
#[test]
fn record_is_not_replaced_by_a_part() {
    const GOOD: &str = "---\nname: pdf\ndescription: Whole.\n---\n";
    const PART: &str = "---\nname: pdf\ndescr";
    const MIXED: &str = "---\nname: pdf\ndescription: Wh\n---\n";
    let again = vec!["-", "--", "---", "---\nname", "---\nname: pdf"];
    for (is_known, steps, expected) in [
        (true, vec![PART, GOOD], vec![GOOD]),
        (true, vec![MIXED, GOOD], vec![GOOD]),
        (true, again, vec![]),
        (false, vec![PART, GOOD], vec![GOOD]),
        (false, vec!["", GOOD], vec![GOOD]),
        (false, vec![GOOD], vec![GOOD]),
    ] {
        let (tree, file) = tree();
        let clock = Arc::new(ManualClock::at(Timestamp(changed(&file) + 40)));
        let (time, path) = (Arc::clone(&clock), file.clone());
        let (next, later) = (AtomicUsize::new(1), steps.clone());
        let source = FsSource::new(config(&tree), clock.clone()).with_pause(move |pause| {
            if let Some(step) = later.get(next.fetch_add(1, Ordering::SeqCst)) {
                fs::write(&path, step).unwrap();
                let now = changed(&path) + 40;
                time.advance(Duration::from_millis(now.saturating_sub(time.now().0)));
            } else {
                time.advance(pause);
            }
        });
        let mut first = ScanRecorder::default();
        if is_known {
            // Any other stamp.
            first.known.insert("pdf".to_owned(), prowess_core::Stamp::exact(1));
        }
        fs::write(&file, steps[0]).unwrap();
        let now = changed(&file) + 40;
        clock.advance(Duration::from_millis(now.saturating_sub(clock.now().0)));
        let scan = first.record(&source).unwrap();
        let heads: Vec<_> = scan.found.iter().map(|found| &*found.head).collect();
        let expected: Vec<_> = expected.iter().map(|head: &&str| head.as_bytes()).collect();
        assert_eq!(heads, expected, "{steps:?}");
        assert_eq!(scan.unchanged.is_empty(), !expected.is_empty(), "{steps:?}");
    }
}

/// The time without changes is a policy: what a longer pause of a writer costs.
#[test]
fn longer_wait_covers_longer_pauses() {
    let check = |still, expected: &[u8]| {
        let (tree, file) = tree();
        part(0..9, put_back)(&file);
        let clock = Arc::new(ManualClock::at(Timestamp(changed(&file) + 200)));
        let config = FsConfig { still: Duration::from_millis(still), ..config(&tree) };
        let time = Arc::clone(&clock);
        let source = FsSource::new(config, clock).with_pause(move |pause| {
            fs::write(&file, NEW).unwrap();
            time.advance(pause * 3);
        });
        assert_eq!(read(&source), Ok(expected.to_vec()), "{still} ms");
    };
    check(0, &NEW[..9]);
    check(100, &NEW[..9]);
    check(300, NEW);
}

/// The kernel has set the size of a file that is truncated, and not yet its times.
#[test]
fn empty_file_is_read_twice() {
    let check = |written: &'static [u8], waits: &[u64]| {
        let (tree, _) = tree();
        tree.write("pdf/notes.md", "");
        let file = tree.join("pdf/notes.md");
        let clock = Arc::new(ManualClock::at(Timestamp(changed(&file) + 5_000)));
        let waited = Arc::new(Mutex::new(Vec::new()));
        let (time, waits_of) = (Arc::clone(&clock), Arc::clone(&waited));
        let source = FsSource::new(config(&tree), clock).with_pause(move |pause| {
            fs::write(&file, written).unwrap();
            time.advance(pause);
            waits_of.lock().unwrap().push(pause.as_millis());
        });
        let package = PackagePath::new("pdf").unwrap();
        let path = ResourcePath::new("notes.md").unwrap();
        let read = source.read(&package, &path, ReadLimit::default());
        assert_eq!(read.unwrap(), written);
        let expected: Vec<_> = waits.iter().map(|wait| u128::from(*wait)).collect();
        assert_eq!(*waited.lock().unwrap(), expected, "{written:?}");
    };
    check(b"", &[1]);
    check(NEW, &[1, 100]);
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

/// A checkout writes many files at once, and none of them goes missing.
#[test]
fn files_that_are_saved_together_are_waited_for() {
    let tree = Tree::new("");
    let mut scan = ScanRecorder::default();
    for number in 0..20 {
        let name = format!("skill-{number}");
        tree.write(&format!("{name}/SKILL.md"), format!("---\nname: {name}\n---\n").as_bytes());
        scan.known.insert(name, prowess_core::Stamp::exact(1));
    }
    let clock = ManualClock::at(Timestamp(changed(&tree.join("skill-19/SKILL.md")) + 40));
    let pauses = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&pauses);
    let config = FsConfig { still: Duration::from_secs(60), ..config(&tree) };
    let source = FsSource::new(config, Arc::new(clock)).with_pause(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(scan.record(&source).unwrap().found.len(), 20);
    assert_eq!(pauses.load(Ordering::Relaxed), 20);
}
