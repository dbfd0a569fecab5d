//! Reads ahead on slow disks.
//!
//! With warm caches a file is opened and read in some microseconds, and threads would cost more
//! than they save. On a cold disk each file takes much longer, and a disk serves many requests in
//! the time of one. So threads open the next files of the walk, read their first bytes, and discard
//! them: the walk continues and finds them cached. The reports, their order and their thread do not
//! depend on this.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use prowess_core::Clock;
use prowess_dir::{Dir, EntryBuffer, ErrorKind, Kind, Links};

use crate::package::FILES;
use crate::probe::HEAD_BYTES;

/// A file that takes longer was read from the disk. From the cache it takes less than a tenth of
/// this.
const SLOW: Duration = Duration::from_micros(50);

/// The number of files that are timed together, and of those that have to be slow: on a busy
/// machine one or two are, because another process had the processor.
const TIMED: usize = 16;
const ENOUGH_SLOW: usize = 4;

/// The interval of further timings, because a part of a tree may be cached.
const TIMED_EVERY: usize = 256;

/// The number of concurrent requests that still speed up a current disk.
const THREADS: usize = 32;

/// The minimum number of directories for starting threads.
const FEWEST: usize = 8;

/// The speed of a walk.
pub(super) struct Pace {
    count: usize,
    last: Duration,
    slow: usize,
    is_slow: bool,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self { count: 0, last: Duration::ZERO, slow: 0, is_slow: false }
    }

    /// Returns whether the walk waits for the disk.
    pub(super) fn is_slow(&self) -> bool {
        self.is_slow
    }

    /// Records that a directory is about to be probed. Returns whether the walk has just become
    /// slow.
    pub(super) fn turns_slow(&mut self, clock: &dyn Clock) -> bool {
        let at = self.count % TIMED_EVERY;
        self.count += 1;
        if self.is_slow || at > TIMED {
            return false;
        }
        let now = clock.elapsed();
        if at == 0 {
            self.slow = 0;
        } else {
            self.slow += usize::from(now.saturating_sub(self.last) > SLOW);
        }
        self.last = now;
        // Immediately, because each slow file may take some milliseconds.
        self.is_slow = self.slow >= ENOUGH_SLOW;
        self.is_slow
    }
}

/// Threads that read ahead in one directory; they end when this is dropped.
pub(super) struct ReadAhead {
    work: Arc<Work>,
    threads: Vec<JoinHandle<()>>,
}

struct Work {
    directory: Dir,
    /// The names, and whether a scan knows the file, of which it requests the times.
    names: Vec<(Box<str>, bool)>,
    next: AtomicUsize,
    is_over: AtomicBool,
}

impl ReadAhead {
    /// Starts to read ahead in this directory, after the name `after`. Returns `None` if that is not
    /// worthwhile or not possible.
    pub(super) fn start(
        directory: &Dir,
        after: &str,
        most: usize,
        is_known: impl Fn(&str) -> bool,
    ) -> Option<Self> {
        let names = names(directory, after, most, is_known)?;
        if names.len() < FEWEST {
            return None;
        }
        let directory = directory.open_dir("", Links::Refuse).ok()?;
        let threads = THREADS.min(names.len());
        let next = AtomicUsize::new(0);
        let is_over = AtomicBool::new(false);
        let work = Arc::new(Work { directory, names, next, is_over });
        let threads = (0..threads)
            .map_while(|_| {
                let work = Arc::clone(&work);
                Builder::new().name("prowess-ahead".into()).spawn(move || work.run()).ok()
            })
            .collect();
        Some(Self { work, threads })
    }
}

impl Drop for ReadAhead {
    fn drop(&mut self) {
        self.work.is_over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // Errors and panics of these threads have no effect.
            drop(thread.join());
        }
    }
}

/// Returns the directories in this one, in the order of the walk.
fn names(
    directory: &Dir,
    after: &str,
    most: usize,
    is_known: impl Fn(&str) -> bool,
) -> Option<Vec<(Box<str>, bool)>> {
    let mut directory = directory.open_dir("", Links::Refuse).ok()?;
    let mut buffer = EntryBuffer::default();
    let mut is_behind = false;
    let mut names = Vec::new();
    let listed = directory.entries(&mut buffer).ok()?.visit(|entry| {
        let Some(name) = entry.name() else { return ControlFlow::Continue(()) };
        if is_behind && entry.kind() == Kind::Directory {
            names.push((name.into(), is_known(name)));
        }
        is_behind |= after == name;
        if names.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    listed.ok().map(|_| names)
}

fn file_of(name: &str) -> String {
    [name, "/", FILES[0]].concat()
}

impl Work {
    fn run(&self) {
        let mut head = vec![0; HEAD_BYTES];
        while !self.is_over.load(Ordering::Relaxed) {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            match self.names.get(at) {
                Some((name, false)) => self.bring(name, &mut head),
                Some((name, true)) => drop(self.directory.stat_unconfined(&*file_of(name))),
                None => return,
            }
        }
    }

    /// Loads a package's file into the cache, or the listing of a directory without one.
    fn bring(&self, name: &str, head: &mut [u8]) {
        match self.directory.open_unchecked(&*file_of(name), Links::Refuse) {
            Ok(file) => drop(file.read_head(head)),
            Err(error) if error.kind() == ErrorKind::NotFound => self.bring_listing(name),
            Err(_) => {}
        }
    }

    fn bring_listing(&self, name: &str) {
        let Ok(mut directory) = self.directory.open_dir(name, Links::Refuse) else { return };
        let mut buffer = EntryBuffer::default();
        if let Ok(entries) = directory.entries(&mut buffer) {
            drop(entries.visit(|_| ControlFlow::Break(())));
        }
    }
}
