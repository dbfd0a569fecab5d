//! Trees on a real file system: what is found, reported and read.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod bounds;
mod descriptors;
mod discovery;
mod faults;
mod file_names;
mod gitignore;
mod kit;
mod links;
mod listed;
mod names;
mod package_digest;
mod partial;
mod pinned;
mod read;
mod rights;
mod saving;
mod scan;
mod shared_files;
mod slow_disk;
mod stamps;
mod unread;
#[cfg(feature = "watch")]
mod watch;

use std::path::Path;
use std::sync::Arc;

use prowess_core::Timestamp;
use prowess_source_fs::{FsConfig, FsSource};
use prowess_testkit::{ManualClock, ScanRecorder, Tree};

/// A source whose clock shows a time long after the files were written, so that stamps are given.
fn source(config: FsConfig) -> FsSource {
    const LATER: Timestamp = Timestamp(32_503_680_000_000);
    FsSource::new(config, Arc::new(ManualClock::at(LATER)))
}

fn config(tree: &Tree) -> FsConfig {
    FsConfig::new(tree.path())
}

/// Returns the reports of a scan, which must not fail.
fn scan(config: FsConfig) -> ScanRecorder {
    ScanRecorder::scan(&source(config)).expect("the scan says something")
}

fn problems(scan: &ScanRecorder, root: &Path) -> Vec<String> {
    scan.problem_lines(&root.to_string_lossy())
}

/// A FIFO without a writer: opening it blocks for ever.
fn make_fifo(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode};
    rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::RUSR, 0).expect("a FIFO can be made");
}
