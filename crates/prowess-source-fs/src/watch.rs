//! Watches a tree with the operating system's notifications.
//!
//! Each directory that may contain packages, and each package's own, is watched separately:
//! watching the whole tree would cost ten times as much, for files that no scan reads. There are
//! two threads. That of `notify` reports a changed `SKILL.md` at once; changes that may affect the
//! set of directories go to the other one, which examines the disk and adds or removes watches.

mod event;
mod survey;
mod targets;
mod tree;
mod work;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use notify::event::EventKindMask;
use notify::{
    Config, ErrorKind, PathOp, RecommendedWatcher, RecursiveMode, UpdatePathsError,
    WatchPathConfig, Watcher,
};
use prowess_core::{
    ChangeListener, PackagePath, SourceChange, SourceError, SourceErrorKind, Watch,
};

use crate::FsConfig;
use prowess_text::counted;
use survey::Survey;
use targets::Ends;
use tree::Tree;
use work::{Queue, Work};

/// The number of directories above the root whose renames are noticed: `.agents/skills` has two.
const RENAMES_HEARD: usize = 2;

/// The maximum number of times that links are resolved until nothing has changed meanwhile. Later
/// changes cause events.
const MOST_LOOKS: usize = 4;

/// Notifies `listener` of changes until the watch is dropped.
pub(crate) fn watch(config: &FsConfig, listener: ChangeListener) -> Result<Watch, SourceError> {
    let shared = Arc::new(Shared {
        listener: Mutex::new(Some(listener)),
        tree: Mutex::new(Tree::new(config)),
        queue: Queue::default(),
    });
    let mut watching = Watching { config: config.clone(), shared, watcher: None };
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

    /// Handles an event of `notify`.
    fn hear(&self, event: notify::Result<notify::Event>) {
        let sorted = match event {
            Ok(event) => event::sort(&event, &lock(&self.tree)),
            Err(_) => event::Sorted::anything(),
        };
        if !sorted.packages.is_empty() {
            self.notify(SourceChange::Packages(sorted.packages));
        }
        self.queue.add(sorted.work);
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
    shared: Arc<Shared>,
    watcher: Option<RecommendedWatcher>,
}

impl Watching {
    fn run(mut self) {
        while let Some(work) = self.shared.queue.take() {
            if let Err(error) = self.work(work) {
                return self.shared.notify(SourceChange::WatchLost(error));
            }
        }
    }

    fn work(&mut self, work: Work) -> Result<(), SourceError> {
        match work {
            Work::Everything => {
                self.establish()?;
                self.shared.notify(SourceChange::Everything);
            }
            Work::Places(places) => {
                let mut changed = BTreeSet::new();
                for place in places {
                    if self.look_at(&place, &mut changed)? == Look::Everything {
                        return self.work(Work::Everything);
                    }
                }
                if !changed.is_empty() {
                    let changed = changed.iter().filter_map(|path| PackagePath::new(path).ok());
                    self.shared.notify(SourceChange::Packages(changed.collect()));
                }
            }
        }
        Ok(())
    }

    /// Examines a path that may have become a directory or stopped being one; collects every added
    /// and removed directory.
    fn look_at(
        &mut self,
        place: &str,
        changed: &mut BTreeSet<String>,
    ) -> Result<Look, SourceError> {
        let survey = survey(&self.config)?;
        let mut tree = lock(&self.shared.tree);
        // If there are links, an added or removed directory may affect other paths.
        let has_links = tree.has_links();
        let was_link = tree.is_link(place);
        let known = tree.take_below(place);
        drop(tree);
        let kind = survey.kind(place);
        if was_link || kind == Some(survey::Kind::Link) {
            return Ok(Look::Everything);
        }
        let is_directory = kind == Some(survey::Kind::Directory);
        if known.is_empty() && !is_directory {
            // A scan of everything may have found it between its creation and its removal.
            changed.extend(kind.is_none().then(|| place.to_owned()));
            return Ok(Look::Done);
        }
        if has_links {
            return Ok(Look::Everything);
        }
        if let Some(watcher) = &mut self.watcher {
            for path in &known {
                // The watch of a removed directory has been removed already.
                let _ = watcher.unwatch(&self.config.root.join(path));
            }
        }
        changed.extend(known);
        if is_directory && survey.is_reached(place) {
            changed.extend(self.watch_below(place)?);
        }
        // A link that was added together with a directory is resolved by a walk.
        if lock(&self.shared.tree).has_links() {
            return Ok(Look::Everything);
        }
        Ok(Look::Done)
    }

    /// Sets up all watches again: at the root, or where it would have to appear.
    fn establish(&mut self) -> Result<(), SourceError> {
        let root = self.config.root.clone();
        loop {
            let anchor = nearest_directory(&root);
            *lock(&self.shared.tree) = Tree::new(&self.config);
            // Pending events of the old watcher are covered by the scan that follows.
            self.watcher = Some(self.new_watcher()?);
            let parent = root.parent().filter(|_| root.is_symlink());
            let beside = if anchor == root { parent } else { Some(&*anchor) };
            let mut above: Vec<_> = beside.map(Path::to_owned).into_iter().collect();
            if anchor == root {
                above.extend(self.config.above_with_gitignore());
            }
            self.add(&above)?;
            if anchor == root {
                above.extend(self.watch_for_renames(&above));
                self.watch_below("")?;
                self.watch_links(&above)?;
            }
            if nearest_directory(&root) == anchor {
                return Ok(());
            }
        }
    }

    /// Watches the parents of the nearest directories above the root, as far as that is permitted:
    /// if one of these is renamed, the root's own watch gets no event.
    fn watch_for_renames(&mut self, watched: &[PathBuf]) -> Vec<PathBuf> {
        let Some(watcher) = &mut self.watcher else { return Vec::new() };
        let nearest = self.config.root.ancestors().skip(1).take(RENAMES_HEARD);
        let mut nearest: Vec<_> = nearest.map(Path::to_owned).collect();
        nearest.retain(|above| {
            !watched.contains(above) && watcher.watch(above, RecursiveMode::NonRecursive).is_ok()
        });
        nearest
    }

    /// Watches a directory and, level by level, those below it that may contain packages; returns
    /// their paths. Each is watched before it is listed, so that no change is missed.
    fn watch_below(&mut self, top: &str) -> Result<Vec<String>, SourceError> {
        let mut all = Vec::new();
        let mut level = vec![top.to_owned()];
        let mut directories_left = self.config.max_directories;
        while !level.is_empty() {
            self.watch_directories(&level)?;
            let survey = survey(&self.config)?;
            let mut below = Vec::new();
            for path in &level {
                let found =
                    survey.look_into(path).map_err(|error| unsurveyed(&self.config, &error))?;
                let mut tree = lock(&self.shared.tree);
                tree.set_package(path, found.is_package);
                found.links.into_iter().for_each(|link| tree.add_link(link));
                if found.is_package || directories_left > 0 {
                    below.extend(found.directories);
                }
                directories_left = directories_left.saturating_sub(usize::from(!found.is_package));
            }
            all.append(&mut level);
            level = below;
        }
        Ok(all)
    }

    /// Watches the packages that links lead to, if no walk reaches them, and the directories in
    /// which missing targets may appear. `above` is watched already.
    fn watch_links(&mut self, above: &[PathBuf]) -> Result<(), SourceError> {
        let mut last = None;
        for _ in 0..MOST_LOOKS {
            let links = lock(&self.shared.tree).links();
            let ends = Ends::look(&self.config, links, above);
            let mut tree = lock(&self.shared.tree);
            let found = ends.targets(&tree);
            // A target that appeared before it was watched is found by resolving again.
            if last.as_ref() == Some(&found) {
                break;
            }
            self.bounded(tree.len() + found.beside.len())?;
            tree.set_awaited(found.awaited.clone());
            drop(tree);
            self.watch_directories(&found.packages)?;
            let beside: Vec<_> = found.beside.iter().cloned().collect();
            self.add(&beside)?;
            let mut tree = lock(&self.shared.tree);
            found.packages.iter().for_each(|path| tree.set_package(path, true));
            drop(tree);
            last = Some(found);
        }
        Ok(())
    }

    fn watch_directories(&mut self, paths: &[String]) -> Result<(), SourceError> {
        let mut tree = lock(&self.shared.tree);
        // Added before they are watched, so that no event is of an unknown directory.
        paths.iter().for_each(|path| tree.add(path));
        self.bounded(tree.len())?;
        drop(tree);
        let absolute: Vec<_> = paths.iter().map(|path| self.config.root.join(path)).collect();
        self.add(&absolute)
    }

    fn bounded(&self, watched: usize) -> Result<(), SourceError> {
        let most = self.config.max_watched;
        if watched <= most {
            return Ok(());
        }
        let message = format!("`{}` has more than {}", self.root(), counted(most, "directory"));
        Err(SourceError::new(SourceErrorKind::TooLarge, message))
    }

    /// Adds watches, except of directories that were removed or cannot be entered. Fails if another
    /// directory that may contain skills cannot be watched, because its changes would be missed.
    fn add(&mut self, paths: &[PathBuf]) -> Result<(), SourceError> {
        let Some(watcher) = &mut self.watcher else { return Ok(()) };
        let config = WatchPathConfig::new(RecursiveMode::NonRecursive);
        let mut left: Vec<_> =
            paths.iter().map(|path| PathOp::Watch(path.clone(), config.clone())).collect();
        let mut tried_twice = BTreeSet::new();
        while let Err(UpdatePathsError { source, origin, remaining }) = watcher.update_paths(left) {
            left = remaining;
            let path = origin.map(|origin| origin.as_path().to_owned());
            match (&source.kind, path) {
                (ErrorKind::MaxFilesWatch, _) => return Err(exhausted(&self.root(), &source)),
                (ErrorKind::PathNotFound, _) => {}
                // Its permissions may have changed just now, for example while it is copied.
                (_, Some(path)) if may_be_entered(&path) => {
                    if !tried_twice.insert(path.clone()) {
                        return Err(unwatchable(&path, &source));
                    }
                    left.insert(0, PathOp::Watch(path, config.clone()));
                }
                (_, Some(_)) => {}
                (_, None) => return Err(exhausted(&self.root(), &source)),
            }
        }
        Ok(())
    }

    fn new_watcher(&self) -> Result<RecommendedWatcher, SourceError> {
        let shared = Arc::clone(&self.shared);
        // Without events for opening and reading: a scan would cause events itself.
        let config = Config::default().with_event_kinds(EventKindMask::CORE);
        let watcher = RecommendedWatcher::new(move |event| shared.hear(event), config);
        watcher.map_err(|error| exhausted(&self.root(), &error))
    }

    fn root(&self) -> String {
        self.config.root.display().to_string()
    }
}

/// The result of examining a path.
#[derive(PartialEq, Eq)]
enum Look {
    Done,
    /// Everything has to be examined.
    Everything,
}

/// Returns the root itself or the last existing directory on its path.
fn nearest_directory(root: &Path) -> PathBuf {
    // A directory that cannot be entered cannot be watched either; changes of its permissions are
    // events of its parent.
    let nearest = root.ancestors().find(|ancestor| may_be_entered(ancestor));
    nearest.unwrap_or(Path::new("/")).to_owned()
}

/// Returns whether files below a directory can be opened, at least by name.
fn may_be_entered(directory: &Path) -> bool {
    directory.join(".").symlink_metadata().is_ok()
}

fn survey(config: &FsConfig) -> Result<Survey<'_>, SourceError> {
    Survey::new(config).map_err(|error| unsurveyed(config, &error))
}

/// Returns the error for a tree that cannot be examined, whose changes would be missed.
fn unsurveyed(config: &FsConfig, error: &prowess_dir::Error) -> SourceError {
    let root = config.root.display();
    let message = format!("what is to be watched of `{root}` cannot be seen: {error}");
    SourceError::new(SourceErrorKind::Unavailable, message)
}

fn unwatchable(path: &Path, error: &notify::Error) -> SourceError {
    let message = format!("`{}` can be entered and not watched: {error}", path.display());
    SourceError::new(SourceErrorKind::Denied, message)
}

fn exhausted(root: &str, error: &notify::Error) -> SourceError {
    let message = format!("the operating system has no watches left for `{root}`: {error}");
    SourceError::new(SourceErrorKind::Unavailable, message)
}

fn refused(config: &FsConfig, error: &std::io::Error) -> SourceError {
    let message = format!("no thread can be had to watch `{}`: {error}", config.root.display());
    SourceError::new(SourceErrorKind::Unavailable, message)
}

/// The guarded value stays valid when a listener panics.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
