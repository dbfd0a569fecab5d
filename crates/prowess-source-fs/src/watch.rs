//! Watches a tree with the operating system's notifications.
//!
//! Each directory that may contain packages, and each package's own, is watched separately:
//! watching the whole tree would cost ten times as much, for files that no scan reads. There are
//! two threads. That of `notify` reports a changed `SKILL.md` at once; changes that may affect the
//! set of directories go to the other one, which examines the disk and adds or removes watches.

mod changes;
mod directories;
mod event;
mod notifier;
mod problem;
mod survey;
mod targets;
mod tree;
mod work;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use prowess_core::{ChangeListener, SourceChange, SourceError, Watch};

use crate::FsConfig;
use crate::kept::Kept;
use notifier::Watches;
use problem::{refused, unsurveyed};
use survey::Survey;
use tree::Tree;
use work::Queue;

/// Notifies `listener` of changes until the watch is dropped.
pub(crate) fn watch(
    config: &FsConfig,
    kept: Option<&Arc<Kept>>,
    listener: ChangeListener,
) -> Result<Watch, SourceError> {
    let shared = Arc::new(Shared {
        listener: Mutex::new(Some(listener)),
        tree: Mutex::new(Tree::new(config)),
        beside: Mutex::default(),
        queue: Queue::default(),
    });
    let mut watching =
        Watching { config: config.clone(), kept: kept.cloned(), shared, watches: None };
    watching.establish()?;
    let shared = Arc::clone(&watching.shared);
    let thread = thread::Builder::new().name("prowess-watch".to_owned());
    let thread = thread.spawn(|| watching.run()).map_err(|error| refused(config, &error))?;
    Ok(Watch::new(Guard { shared, thread: Some(thread) }))
}

/// The state that both threads share.
struct Shared {
    /// `None` once the watch is dropped.
    listener: Mutex<Option<ChangeListener>>,
    tree: Mutex<Tree>,
    /// The watched directories outside of the tree.
    beside: Mutex<BTreeSet<PathBuf>>,
    queue: Queue,
}

impl Shared {
    fn notify(&self, change: SourceChange) {
        // Held while the listener runs, so that it never runs after the guard is dropped.
        let listener = lock(&self.listener);
        if let Some(listener) = &*listener {
            listener(change);
        }
    }

    /// Handles an event of `notify`; none is one that could not be read.
    fn handle_event(&self, event: Option<&notify::Event>) {
        let sorted = match event {
            Some(event) => event::sort(event, &lock(&self.tree)),
            None => event::Sorted::anything(),
        };
        if !sorted.packages.is_empty() {
            self.notify(SourceChange::Packages(sorted.packages));
        }
        self.queue.add(sorted.work);
    }
}

impl Shared {
    /// Returns whether this source watches a directory.
    fn watches(&self, path: &Path) -> bool {
        lock(&self.tree).watches(path) || lock(&self.beside).contains(path)
    }

    /// Returns the directories that this source watches.
    fn watched(&self) -> BTreeSet<PathBuf> {
        let mut watched = lock(&self.beside).clone();
        watched.extend(lock(&self.tree).watched());
        watched
    }
}

/// Ends the watch when it is dropped.
struct Guard {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        *lock(&self.shared.listener) = None;
        self.shared.queue.end();
        // The panic of the thread has been reported by the panic hook.
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// The state of the thread that maintains the watches.
struct Watching {
    config: FsConfig,
    kept: Option<Arc<Kept>>,
    shared: Arc<Shared>,
    watches: Option<Watches>,
}

fn survey<'c>(config: &'c FsConfig, kept: Option<&'c Kept>) -> Result<Survey<'c>, SourceError> {
    Survey::new(config, kept).map_err(|error| unsurveyed(config, &error))
}

/// The guarded value stays valid when a listener panics.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
