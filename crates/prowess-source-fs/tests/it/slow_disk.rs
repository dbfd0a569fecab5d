//! A tree on a disk that is waited for: threads read ahead, and nothing else differs.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prowess_core::{Cancel, Clock, SkillSource, Timestamp};
use prowess_source_fs::{FsConfig, FsSource, Nested};
use prowess_testkit::{ManualClock, ScanRecorder, Tree};

use crate::make_fifo;

const NOW: Timestamp = Timestamp(32_503_680_000_000);

/// A clock by which each look at it comes a millisecond after the last: every file seems to be waited for.
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
    let mut recorder = ScanRecorder::default();
    source.scan(&mut recorder, &Cancel::default()).unwrap();
    // Which second a scan began in is none of this test's business.
    recorder.found.iter_mut().for_each(|found| found.stamp = None);
    recorder
}

#[test]
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
