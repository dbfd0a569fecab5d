//! A tree on a disk that is waited for: threads read ahead, and nothing else differs.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use prowess_core::{
    Cancel, Clock, Diagnostic, Found, PreviousScan, ReadFurther, ScanSink, SkillSource, Timestamp,
};
use prowess_source_fs::{FsConfig, FsSource, Nested};
use prowess_testkit::{ManualClock, ScanRecorder, Tree};

use crate::make_fifo;

const NOW: Timestamp = Timestamp(32_503_680_000_000);

/// A clock by which each look at it comes a millisecond after the last: every file seems to be
/// waited for.
#[derive(Default)]
struct Slow(AtomicU64);

impl Clock for Slow {
    fn now(&self) -> Timestamp {
        NOW
    }

    fn elapsed(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// Packages, directories of packages, and some that cannot be read.
fn tree() -> Tree {
    let tree = Tree::new("");
    for number in 0..120 {
        tree.write(&format!("skill-{number}/SKILL.md"), format!("skill {number}"));
        tree.write(&format!("group-{}/skill-{number}/SKILL.md", number % 4), "in a group");
    }
    tree.write("skill-7/notes/SKILL.md", "inside of another");
    fs::create_dir(tree.join("pipe")).unwrap();
    make_fifo(&tree.join("pipe/SKILL.md"));
    std::os::unix::fs::symlink("skill-1", tree.join("link")).unwrap();
    tree
}

fn scan(config: &FsConfig, clock: Arc<dyn Clock>) -> ScanRecorder {
    let source = FsSource::new(config.clone(), clock);
    let mut recorder = ScanRecorder::scan(&source).unwrap();
    // Which second a scan began in is none of this test's business.
    recorder.found.iter_mut().for_each(|found| found.stamp = None);
    recorder
}

/// How many threads of this program read ahead.
fn threads_ahead() -> usize {
    let threads = fs::read_dir("/proc/self/task").unwrap().flatten();
    let names = threads.flat_map(|thread| fs::read_to_string(thread.path().join("comm")));
    names.filter(|name| name.trim() == "prowess-ahead").count()
}

/// Counts the threads now and then.
#[derive(Default)]
struct Counting {
    found: usize,
    most: usize,
}

impl ScanSink for Counting {
    fn unchanged(&mut self, _: &str) {}

    fn found(&mut self, _: Found<'_>) -> ReadFurther {
        if self.found.is_multiple_of(30) {
            self.most = self.most.max(threads_ahead());
        }
        self.found += 1;
        ReadFurther::No
    }

    fn problem(&mut self, _: Diagnostic) {}
}

fn most_threads(config: &FsConfig, clock: Arc<dyn Clock>) -> usize {
    let mut counting = Counting::default();
    let source = FsSource::new(config.clone(), clock);
    source.scan(&PreviousScan::none(), &mut counting, &Cancel::default()).unwrap();
    counting.most
}

/// One test for both, as each would count the other's threads.
#[test]
fn threads_read_ahead_while_the_disk_is_slow_and_nothing_else_differs() {
    threads_come_and_go();
    what_is_reported_and_in_which_order_does_not_depend_on_the_disk();
}

/// The time in which threads end, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn threads_come_and_go() {
    let tree = tree();
    let config = FsConfig::new(tree.path());
    assert_eq!(most_threads(&config, Arc::new(ManualClock::at(NOW))), 0, "from memory none");
    // They may be done before the first file is reported.
    let seen = (0..1_000).map(|_| most_threads(&config, Arc::new(Slow::default())));
    let seen = seen.into_iter().find(|seen| *seen > 0);
    assert!(seen.is_some_and(|seen| seen <= 32), "{seen:?} threads read ahead");
    // A thread that has ended is listed for a moment more.
    let start = Instant::now();
    while threads_ahead() > 0 {
        assert!(start.elapsed() < PATIENCE, "they end with the scan");
        std::thread::yield_now();
    }
}

fn what_is_reported_and_in_which_order_does_not_depend_on_the_disk() {
    let tree = tree();
    for nested in [Nested::Stop, Nested::Descend] {
        let config = FsConfig { nested, ..FsConfig::new(tree.path()) };
        let quick = scan(&config, Arc::new(ManualClock::at(NOW)));
        let slow = scan(&config, Arc::new(Slow::default()));
        assert_eq!(slow.found, quick.found, "the same packages in the same order");
        assert_eq!(slow.problems, quick.problems, "the same problems");
    }
}
