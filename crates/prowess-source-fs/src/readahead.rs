//! Reading ahead where the disk is slow.
//!
//! From the kernel's memory a file is opened and read in some microseconds, and threads would cost more
//! than they save. Where the first files take much longer, the disk is waited for, and a disk answers many
//! requests in the time of one. So then threads open what the walk is going to come to, read its
//! beginning, and throw it away: the walk goes on as before and finds it in memory. What is reported, in
//! which order and on which thread, does not depend on them.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use prowess_core::Clock;
use prowess_dir::{Dir, EntryBuffer, ErrorKind, Kind, Links};

use crate::package::{FILES, HEAD_BYTES};

/// A file that takes longer was waited for. From memory it takes less than a tenth of this.
const SLOW: Duration = Duration::from_micros(50);

/// How many files are timed together, and how many of them have to be slow: on a busy machine one or two
/// are, as something else had the processor meanwhile.
const TIMED: usize = 16;
const ENOUGH_SLOW: usize = 4;

/// Some files are timed again and again, as a part of a tree may be in memory.
const TIMED_EVERY: usize = 256;

/// As many requests as a disk of today takes at once with a gain.
const THREADS: usize = 32;

/// For fewer directories no thread is started.
const FEWEST: usize = 8;

/// How fast a walk gets on.
pub(crate) struct Pace {
    count: usize,
    last: Duration,
    slow: usize,
    is_slow: bool,
}

impl Pace {
    pub(crate) fn new() -> Self {
        Self { count: 0, last: Duration::ZERO, slow: 0, is_slow: false }
    }

    /// Whether the disk is waited for.
    pub(crate) fn is_slow(&self) -> bool {
        self.is_slow
    }

    /// Notes that a directory is about to be looked at. Whether the walk turns out to be slow just now.
    pub(crate) fn turns_slow(&mut self, clock: &dyn Clock) -> bool {
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
        // At once, as each file that is waited for alone may take some milliseconds.
        self.is_slow = self.slow >= ENOUGH_SLOW;
        self.is_slow
    }
}

/// Threads that read ahead in one directory; they end when this is dropped.
pub(crate) struct ReadAhead {
    work: Arc<Work>,
    threads: Vec<JoinHandle<()>>,
}

struct Work {
    directory: Dir,
    names: Vec<Box<str>>,
    next: AtomicUsize,
    is_over: AtomicBool,
}

impl ReadAhead {
    /// Reads ahead in this directory, behind the name `after` where there is one. `None` if that is not worth
    /// it or not possible.
    pub(crate) fn start(directory: &Dir, after: Option<&str>, most: usize) -> Option<Self> {
        let names = names(directory, after, most)?;
        if names.len() < FEWEST {
            return None;
        }
        let directory = directory.open_dir("", Links::Refuse).ok()?;
        let threads = THREADS.min(names.len());
        let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = Arc::new(Work { directory, names, next, is_over });
        let start = |_| {
            let work = Arc::clone(&work);
            Builder::new().name("prowess-ahead".into()).spawn(move || work.run()).ok()
        };
        let threads = (0..threads).map_while(start).collect();
        Some(Self { work, threads })
    }
}

impl Drop for ReadAhead {
    fn drop(&mut self) {
        self.work.is_over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // It has nothing to say, not even that it panicked.
            drop(thread.join());
        }
    }
}

/// The directories in this one, in the order in which the walk comes to them.
fn names(directory: &Dir, after: Option<&str>, most: usize) -> Option<Vec<Box<str>>> {
    let mut directory = directory.open_dir("", Links::Refuse).ok()?;
    let mut buffer = EntryBuffer::default();
    let mut is_behind = after.is_none();
    let mut names = Vec::new();
    let listed = directory.entries(&mut buffer).ok()?.visit(|entry| {
        let Some(name) = entry.name() else { return ControlFlow::Continue(()) };
        if is_behind && entry.kind() == Kind::Directory {
            names.push(name.into());
        }
        is_behind |= after == Some(name);
        if names.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    listed.ok().map(|_| names)
}

impl Work {
    fn run(&self) {
        let mut head = vec![0; HEAD_BYTES];
        while !self.is_over.load(Ordering::Relaxed) {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(name) = self.names.get(at) else { return };
            self.bring(name, &mut head);
        }
    }

    /// Has the kernel bring a package's file into memory, or the listing of what is none.
    fn bring(&self, name: &str, head: &mut [u8]) {
        let file = [name, "/", FILES[0]].concat();
        match self.directory.open_unchecked(&*file, Links::Refuse) {
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
