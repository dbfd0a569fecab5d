//! The watches of directories.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::slice;

use notify::{ErrorKind, PathOp, UpdatePathsError};
use prowess_core::{SourceError, SourceErrorKind};
use prowess_dir::Identity;
use prowess_text::counted;

use super::notifier::Watches;
use super::problem::{exhausted, unsurveyed, unwatchable};
use super::targets::{Ends, may_be_entered, nearest_directory};
use super::tree::Tree;
use super::{Watching, lock, survey};
use crate::admission::join;
use crate::link::{LINKED_DEPTH, RealPaths, leads_inside};
use crate::package::FILES;

/// The number of directories above the root whose renames are noticed: `.agents/skills` has two.
const RENAMES_NOTICED: usize = 2;

/// The maximum number of times that links are resolved until nothing has changed meanwhile. Later
/// changes cause events.
const MOST_LOOKS: usize = 4;

impl Watching {
    /// Sets up all watches again: at the root, or where it would have to appear.
    pub(super) fn establish(&mut self) -> Result<(), SourceError> {
        let root = self.config.root.clone();
        loop {
            let anchor = nearest_directory(&root);
            let begun_at = self.identity();
            // Pending events of the old watches are covered by the scan that follows.
            self.watches = None;
            *lock(&self.shared.tree) = Tree::new(&self.config);
            lock(&self.shared.beside).clear();
            let watches = Watches::new(&self.shared, &anchor);
            self.watches = Some(watches.map_err(|error| exhausted(&self.root(), &error))?);
            let parent = root.parent().filter(|_| root.is_symlink());
            let beside = if anchor == root { parent } else { Some(&*anchor) };
            let mut above: Vec<_> = beside.map(Path::to_owned).into_iter().collect();
            if anchor == root {
                above.extend(self.config.above_that_decide());
            }
            self.add(&above, false)?;
            if anchor == root {
                above.extend(self.watch_for_renames(&above));
                self.watch_below("", usize::MAX, false)?;
            }
            self.watch_links(&above)?;
            // Events of a root that was replaced meanwhile may have been read by the links of both.
            if nearest_directory(&root) == anchor && self.identity() == begun_at {
                return Ok(());
            }
        }
    }

    /// Returns the identity of the directory that is the root now.
    fn identity(&self) -> Option<Identity> {
        self.config.open_root().and_then(|root| root.identity()).ok()
    }

    /// Watches the parents of the nearest directories above the root, as far as that is permitted:
    /// if one of these is renamed, the root's own watch gets no event.
    fn watch_for_renames(&mut self, watched: &[PathBuf]) -> Vec<PathBuf> {
        let nearest = self.config.root.ancestors().skip(1).take(RENAMES_NOTICED);
        let mut nearest: Vec<_> = nearest.map(Path::to_owned).collect();
        let Some(watches) = &mut self.watches else { return Vec::new() };
        nearest.retain(|above| {
            let is_new = !watched.contains(above);
            is_new && watches.add(vec![above.clone()], false).is_ok()
        });
        lock(&self.shared.beside).extend(nearest.iter().cloned());
        nearest
    }

    /// Watches a directory and, level by level, at most so many levels below it that may contain
    /// packages; returns their paths. Each is watched before it is listed, so that no change is
    /// missed. `through_link` says that the top is a link.
    pub(super) fn watch_below(
        &mut self,
        top: &str,
        levels: usize,
        through_link: bool,
    ) -> Result<Vec<String>, SourceError> {
        let mut all = Vec::new();
        let mut level = vec![top.to_owned()];
        let mut directories_left = self.config.max_directories;
        for _ in 0..=levels {
            if level.is_empty() {
                break;
            }
            self.watch_directories(&level, through_link)?;
            let survey = survey(&self.config, self.kept.as_deref())?;
            let mut below = Vec::new();
            for path in &level {
                let found =
                    survey.look_into(path).map_err(|error| unsurveyed(&self.config, &error))?;
                let mut tree = lock(&self.shared.tree);
                tree.set_package(path, found.is_package);
                found.links.into_iter().for_each(|link| tree.add_link(link));
                found.linked_files.into_iter().for_each(|file| tree.add_linked_file(file));
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

    /// Watches the packages that links lead to, if no walk reaches them, the directories in which
    /// missing targets may appear, and those in which something on the way may be replaced. `above`
    /// is watched already.
    fn watch_links(&mut self, above: &[PathBuf]) -> Result<(), SourceError> {
        let mut last = None;
        for _ in 0..MOST_LOOKS {
            let links = lock(&self.shared.tree).links();
            let ends = Ends::look(&self.config, links, above);
            let mut tree = lock(&self.shared.tree);
            let found = ends.targets(tree.root(), |it| tree.is_package(it).is_some());
            // A target that appeared before it was watched is found by resolving again.
            if last.as_ref() == Some(&found) {
                break;
            }
            let new = found.packages.iter().filter(|link| tree.is_package(link).is_none()).count();
            self.bounded(tree.len() + new + found.beside.len() + found.ways.len())?;
            tree.set_targets(found.clone());
            drop(tree);
            for way in &found.ways {
                match self.add(slice::from_ref(way), true) {
                    // Another user's, such as one above a home.
                    Err(error) if error.kind == SourceErrorKind::Denied => {}
                    added => added?,
                }
            }
            self.watch_directories(&found.packages, true)?;
            let beside: Vec<_> = found.beside.iter().cloned().collect();
            self.add(&beside, true)?;
            let paths = RealPaths::default();
            for link in &found.packages {
                let file = skill_file_at(&self.config.root, link);
                if file.is_some() || leads_inside(&self.config, &paths, link).is_some() {
                    let mut tree = lock(&self.shared.tree);
                    tree.set_package(link, true);
                    file.flatten().into_iter().for_each(|file| tree.add_linked_file(file));
                } else {
                    self.watch_below(link, LINKED_DEPTH, true)?;
                }
            }
            last = Some(found);
        }
        Ok(())
    }

    fn watch_directories(
        &mut self,
        paths: &[String],
        through_link: bool,
    ) -> Result<(), SourceError> {
        let mut tree = lock(&self.shared.tree);
        // Added before they are watched, so that no event is of an unknown directory.
        paths.iter().for_each(|path| tree.add(path));
        self.bounded(tree.len())?;
        drop(tree);
        let absolute: Vec<_> = paths.iter().map(|path| self.config.root.join(path)).collect();
        self.add_all(absolute, through_link)
    }

    fn bounded(&self, watched: usize) -> Result<(), SourceError> {
        let most = self.config.max_watched;
        if watched <= most {
            return Ok(());
        }
        let message = format!("`{}` has more than {}", self.root(), counted(most, "directory"));
        Err(SourceError::new(SourceErrorKind::TooLarge, message))
    }

    /// Adds watches of directories outside of the tree.
    fn add(&mut self, paths: &[PathBuf], through_link: bool) -> Result<(), SourceError> {
        lock(&self.shared.beside).extend(paths.iter().cloned());
        self.add_all(paths.to_vec(), through_link)
    }

    /// Adds watches, except of directories that were removed or cannot be entered. Fails if another
    /// directory that may contain skills cannot be watched, because its changes would be missed.
    fn add_all(&mut self, paths: Vec<PathBuf>, through_link: bool) -> Result<(), SourceError> {
        let Some(watches) = &mut self.watches else { return Ok(()) };
        let mut left = paths;
        let mut tried_twice = BTreeSet::new();
        // Nothing needs no instance.
        while !left.is_empty()
            && let Err(error) = watches.add(std::mem::take(&mut left), through_link)
        {
            let UpdatePathsError { source, origin, remaining } = error;
            left = remaining.into_iter().map(PathOp::into_path).collect();
            let path = origin.map(|origin| origin.as_path().to_owned());
            match (&source.kind, path) {
                (ErrorKind::MaxFilesWatch, _) => return Err(exhausted(&self.root(), &source)),
                (ErrorKind::PathNotFound, _) => {}
                // Its permissions may have changed just now, for example while it is copied.
                (_, Some(path)) if may_be_entered(&path) => {
                    if !tried_twice.insert(path.clone()) {
                        return Err(unwatchable(&path, &source));
                    }
                    left.insert(0, path);
                }
                (_, Some(_)) => {}
                (_, None) => return Err(exhausted(&self.root(), &source)),
            }
        }
        Ok(())
    }

    fn root(&self) -> String {
        self.config.root.display().to_string()
    }
}

/// Returns the `SKILL.md` of a package that a link leads to, if it is a link itself.
fn skill_file_at(root: &Path, package: &str) -> Option<Option<String>> {
    FILES.iter().find_map(|file| {
        let file = join(package, file);
        let metadata = root.join(&file).symlink_metadata().ok()?;
        Some(metadata.is_symlink().then_some(file))
    })
}
