//! Word of changes from the operating system.
//!
//! Each directory in which a package may begin, and each package's own, is watched by itself: to watch
//! a tree would cost ten times as much, for files that no scan looks at. Two threads serve it. The one
//! of `notify` tells at once of a `SKILL.md` that has changed; whatever may change the set of
//! directories goes to the other, which looks at the disk and sets up or gives up watches.

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
use survey::Survey;
use targets::Ends;
use tree::Tree;
use work::{Queue, Work};

/// How many directories above the root may be renamed and it is heard: `.agents/skills` has two names.
const RENAMES_HEARD: usize = 2;

/// How often it is looked where links lead until nothing has changed meanwhile. What changes later is heard.
const MOST_LOOKS: usize = 4;

/// Tells `listener` of changes until the watch is dropped.
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

/// What the two threads share.
struct Shared {
    /// Gone once nobody listens any more.
    listener: Mutex<Option<ChangeListener>>,
    tree: Mutex<Tree>,
    queue: Queue,
}

impl Shared {
    fn tell(&self, change: SourceChange) {
        // Held while the listener runs, so that it has run for the last time when the guard is gone.
        let listener = lock(&self.listener);
        if let Some(listener) = &*listener {
            listener(change);
        }
    }

    /// What `notify` calls.
    fn hear(&self, event: notify::Result<notify::Event>) {
        let sorted = match event {
            Ok(event) => event::sort(&event, &lock(&self.tree)),
            Err(_) => event::Sorted::anything(),
        };
        if !sorted.packages.is_empty() {
            self.tell(SourceChange::Packages(sorted.packages));
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
        // A thread that panicked has said so by itself.
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// What the thread has in its hands that keeps the set of watches.
struct Watching {
    config: FsConfig,
    shared: Arc<Shared>,
    watcher: Option<RecommendedWatcher>,
}

impl Watching {
    fn run(mut self) {
        while let Some(work) = self.shared.queue.take() {
            if let Err(error) = self.work(work) {
                return self.shared.tell(SourceChange::Lost(error));
            }
        }
    }

    fn work(&mut self, work: Work) -> Result<(), SourceError> {
        match work {
            Work::Everything => {
                self.establish()?;
                self.shared.tell(SourceChange::Everything);
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
                    self.shared.tell(SourceChange::Packages(changed.collect()));
                }
            }
        }
        Ok(())
    }

    /// Looks at a place that may have become a directory or none; adds every directory that has come or
    /// gone.
    fn look_at(
        &mut self,
        place: &str,
        changed: &mut BTreeSet<String>,
    ) -> Result<Look, SourceError> {
        let survey = survey(&self.config)?;
        let mut tree = lock(&self.shared.tree);
        // With links about, one directory more or less may decide what another place is.
        let (has_links, was_link) = (tree.has_links(), tree.is_link(place));
        let known = tree.take_below(place);
        drop(tree);
        let is_directory = match survey.kind(place) {
            Some(survey::Kind::Link) => return Ok(Look::Everything),
            _ if was_link => return Ok(Look::Everything),
            kind => kind == Some(survey::Kind::Directory),
        };
        if known.is_empty() && !is_directory {
            return Ok(Look::Done);
        }
        if has_links {
            return Ok(Look::Everything);
        }
        if let Some(watcher) = &mut self.watcher {
            for path in &known {
                // Of what is gone the watch is gone already.
                let _ = watcher.unwatch(&self.config.root.join(path));
            }
        }
        changed.extend(known);
        if is_directory && survey.is_reached(place) {
            changed.extend(self.watch_below(place)?);
        }
        // One that came along with a directory is followed by a walk alone.
        if lock(&self.shared.tree).has_links() {
            return Ok(Look::Everything);
        }
        Ok(Look::Done)
    }

    /// Begins anew: at the root, or where it would have to appear.
    fn establish(&mut self) -> Result<(), SourceError> {
        let root = self.config.root.clone();
        loop {
            let anchor = nearest_directory(&root);
            *lock(&self.shared.tree) = Tree::new(&self.config);
            // What the old one has still to say is found by the scan that follows.
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

    /// Watches the directories in which the nearest ones above the root have their names, as far as that is
    /// allowed: of a root that is moved away with one, its own watch tells nothing.
    fn watch_for_renames(&mut self, watched: &[PathBuf]) -> Vec<PathBuf> {
        let Some(watcher) = &mut self.watcher else { return Vec::new() };
        let nearest = self.config.root.ancestors().skip(1).take(RENAMES_HEARD);
        let mut nearest: Vec<_> = nearest.map(Path::to_owned).collect();
        nearest.retain(|above| {
            !watched.contains(above) && watcher.watch(above, RecursiveMode::NonRecursive).is_ok()
        });
        nearest
    }

    /// Watches a directory and, level by level, those below it in which packages may lie; gives their
    /// paths. Each is watched before it is looked into, so that nothing comes in between.
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

    /// Watches the packages that links lead to, where no walk comes to them, and the directories where
    /// those will come that are not there. `above` is watched already.
    fn watch_links(&mut self, above: &[PathBuf]) -> Result<(), SourceError> {
        let mut last = None;
        for _ in 0..MOST_LOOKS {
            let links = lock(&self.shared.tree).links();
            let ends = Ends::look(&self.config, links, above);
            let mut tree = lock(&self.shared.tree);
            let found = ends.targets(&tree);
            // What came before it was watched for is found by another look.
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
        // Known before they are watched, so that no event is of an unknown directory.
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
        let message = format!("`{}` has more than {most} directories", self.root());
        Err(SourceError::new(SourceErrorKind::TooLarge, message))
    }

    /// Adds watches, leaving out what is gone by now or may not be entered. Of a directory in which there may
    /// be skills and that cannot be watched all the same, nobody would hear.
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
                // Its rights may have been changed just now, as where it is being copied.
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
        // Without what is only opened or read: our own scans would be told of to ourselves.
        let config = Config::default().with_event_kinds(EventKindMask::CORE);
        let watcher = RecommendedWatcher::new(move |event| shared.hear(event), config);
        watcher.map_err(|error| exhausted(&self.root(), &error))
    }

    fn root(&self) -> String {
        self.config.root.display().to_string()
    }
}

/// What came of a look at a place.
#[derive(PartialEq, Eq)]
enum Look {
    Done,
    /// It takes a look at everything.
    Everything,
}

/// The root itself or the last directory on the way to it.
fn nearest_directory(root: &Path) -> PathBuf {
    // One that is shut can be watched no more than one that is not there: who opens it is heard of above.
    let nearest = root.ancestors().find(|ancestor| may_be_entered(ancestor));
    nearest.unwrap_or(Path::new("/")).to_owned()
}

/// Whether files below a directory can be opened, be it by who knows their names alone.
fn may_be_entered(directory: &Path) -> bool {
    directory.join(".").symlink_metadata().is_ok()
}

fn survey(config: &FsConfig) -> Result<Survey<'_>, SourceError> {
    Survey::new(config).map_err(|error| unsurveyed(config, &error))
}

/// Of directories that nobody could look for, nobody would hear.
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

/// A panic of a listener leaves what is guarded as it was.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
