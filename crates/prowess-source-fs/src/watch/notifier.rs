//! The watches of the operating system, most of them by one instance for all sources.
//!
//! A user has few instances, often 128, and each has a thread. The common one knows each directory
//! by its real path alone: an instance reports a directory that it watches by two paths with one of
//! them. What a source reaches through a link is watched by an instance of its own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::result::Result as StdResult;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use notify::event::EventKindMask;
use notify::{
    Config, Event, PathOp, RecommendedWatcher, RecursiveMode, Result, UpdatePathsError,
    WatchPathConfig, Watcher,
};

use super::{Shared, lock};

/// The common instance, while a source has watches.
static COMMON: Mutex<Weak<Notifier>> = Mutex::new(Weak::new());

struct Notifier {
    members: Arc<Mutex<Vec<Weak<Shared>>>>,
    watcher: Mutex<RecommendedWatcher>,
}

impl Notifier {
    /// Returns the common instance with one more source.
    fn joined(member: &Arc<Shared>) -> Result<Arc<Self>> {
        let mut common = COMMON.lock().unwrap_or_else(PoisonError::into_inner);
        let notifier = match common.upgrade() {
            Some(notifier) => notifier,
            None => Arc::new(Self::new()?),
        };
        lock(&notifier.members).push(Arc::downgrade(member));
        *common = Arc::downgrade(&notifier);
        Ok(notifier)
    }

    fn new() -> Result<Self> {
        let members = Arc::<Mutex<Vec<Weak<Shared>>>>::default();
        let reported = Arc::clone(&members);
        let watcher = watcher(move |event| {
            // Not held meanwhile, as a source may join or leave.
            let members: Vec<_> = lock(&reported).iter().filter_map(Weak::upgrade).collect();
            members.iter().for_each(|member| member.handle_event(event.as_ref().ok()));
        })?;
        Ok(Self { members, watcher: Mutex::new(watcher) })
    }

    /// Removes the watches of these directories that no other source watches.
    fn unwatch(&self, paths: impl Iterator<Item = PathBuf>, member: &Arc<Shared>) {
        let others: Vec<_> = lock(&self.members).iter().filter_map(Weak::upgrade).collect();
        let others: Vec<_> = others.iter().filter(|it| !Arc::ptr_eq(it, member)).collect();
        // Held while the others are asked: what they add from now on is watched afterwards.
        let mut watcher = lock(&self.watcher);
        for path in paths {
            if !others.iter().any(|other| other.watches(&path)) {
                // The watch of a removed directory has been removed already.
                let _ = watcher.unwatch(&path);
            }
        }
    }
}

/// The watches of one source.
pub(super) struct Watches {
    member: Arc<Shared>,
    /// `None` if the root is reached through a link.
    common: Option<Arc<Notifier>>,
    /// For what is reached through a link.
    own: Option<RecommendedWatcher>,
}

impl Watches {
    /// Prepares watches at and below a directory, which is the root or above it.
    pub(super) fn new(member: &Arc<Shared>, anchor: &Path) -> Result<Self> {
        let is_real = anchor.canonicalize().is_ok_and(|real| real == anchor);
        let common = is_real.then(|| Notifier::joined(member)).transpose()?;
        Ok(Self { member: Arc::clone(member), common, own: None })
    }

    /// Adds watches. `through_link` says that the paths may not be the real ones.
    pub(super) fn add(
        &mut self,
        paths: Vec<PathBuf>,
        through_link: bool,
    ) -> StdResult<(), UpdatePathsError> {
        let config = WatchPathConfig::new(RecursiveMode::NonRecursive);
        let paths = paths.into_iter().map(|path| PathOp::Watch(path, config.clone())).collect();
        match &self.common {
            Some(common) if !through_link => lock(&common.watcher).update_paths(paths),
            _ => match self.own() {
                Ok(own) => own.update_paths(paths),
                Err(source) => {
                    Err(UpdatePathsError { source, origin: None, remaining: Vec::new() })
                }
            },
        }
    }

    fn own(&mut self) -> Result<&mut RecommendedWatcher> {
        if self.own.is_none() {
            let member = Arc::clone(&self.member);
            self.own = Some(watcher(move |event| member.handle_event(event.as_ref().ok()))?);
        }
        Ok(self.own.as_mut().expect("it has just been set"))
    }

    /// Removes the watches of these directories.
    pub(super) fn remove(&mut self, paths: impl Iterator<Item = PathBuf>) {
        let paths: Vec<_> = paths.collect();
        if let Some(own) = &mut self.own {
            for path in &paths {
                let _ = own.unwatch(path);
            }
        }
        if let Some(common) = &self.common {
            common.unwatch(paths.into_iter(), &self.member);
        }
    }
}

impl Drop for Watches {
    fn drop(&mut self) {
        let Some(common) = self.common.take() else { return };
        let mut members = lock(&common.members);
        members.retain(|member| !std::ptr::eq(member.as_ptr(), Arc::as_ptr(&self.member)));
        let is_last = members.is_empty();
        drop(members);
        // The watches of the last source end with the instance.
        if !is_last {
            let paths: BTreeSet<_> = self.member.watched();
            common.unwatch(paths.into_iter(), &self.member);
        }
    }
}

fn watcher(on_event: impl FnMut(Result<Event>) + Send + 'static) -> Result<RecommendedWatcher> {
    // Without events for opening and reading: a scan would cause events itself.
    RecommendedWatcher::new(on_event, Config::default().with_event_kinds(EventKindMask::CORE))
}
