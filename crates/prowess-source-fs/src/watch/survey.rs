//! Which directories a scan would look into.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;

use prowess_core::PackagePath;
use prowess_dir::{Dir, EntryBuffer, Links as Confined};

use crate::package::FILES;
use crate::partial::is_package;
use crate::{FsConfig, Links, Nested};

pub(super) use prowess_dir::Kind;

/// Looks at a tree as a scan does, without reading a file.
pub(super) struct Survey<'c> {
    config: &'c FsConfig,
    root: Option<Dir>,
}

/// What a directory has for a scan.
#[derive(Default)]
pub(super) struct Found {
    pub(super) is_package: bool,
    /// Directories that are searched next, by their paths from the root.
    pub(super) directories: Vec<String>,
    /// Links that may lead to packages.
    pub(super) links: Vec<String>,
}

impl<'c> Survey<'c> {
    pub(super) fn new(config: &'c FsConfig) -> Self {
        Self { config, root: config.open_root().ok() }
    }

    /// What is at a place, without following a link.
    pub(super) fn kind(&self, path: &str) -> Option<Kind> {
        self.root.as_ref()?.stat_unconfined(path).ok().map(|stat| stat.kind)
    }

    /// Whether a scan comes to a directory.
    pub(super) fn is_reached(&self, path: &str) -> bool {
        let Some(root) = &self.root else { return false };
        let parts = path.split('/');
        let is_skipped = parts.clone().any(|part| self.config.skips(part));
        let above = path.match_indices('/').map(|(at, _)| &path[..at]).chain([""]);
        let is_passed = self.config.nested == Nested::Stop
            && !path.is_empty()
            && above.into_iter().any(|above| is_package(root, above));
        !is_skipped && !is_passed && parts.count() <= self.config.max_depth
    }

    /// Looks into a directory. One that is gone or shut has nothing.
    pub(super) fn look_into(&self, path: &str) -> Found {
        let Some(root) = &self.root else { return Found::default() };
        let is_package = is_package(root, path);
        let depth = if path.is_empty() { 0 } else { path.split('/').count() };
        let ends = is_package && self.config.nested == Nested::Stop;
        let mut found = Found { is_package, ..Found::default() };
        if !ends && depth < self.config.max_depth {
            // A scan tells of what cannot be listed.
            let _ = self.list(root, path, &mut found);
        }
        found
    }

    fn list(&self, root: &Dir, path: &str, found: &mut Found) -> prowess_dir::Result<()> {
        let mut names = EntryBuffer::default();
        let mut directory = root.open_dir(path, Confined::Refuse)?;
        let entries = directory.entries(&mut names)?;
        let visited = entries.visit(|entry| {
            let Some(name) = entry.name().filter(|name| !self.config.skips(name)) else {
                return ControlFlow::<()>::Continue(());
            };
            let child = if path.is_empty() { name.to_owned() } else { [path, "/", name].concat() };
            match entry.kind() {
                Kind::Directory if PackagePath::is_normal(&child) => found.directories.push(child),
                Kind::Link if !FILES.contains(&name) => found.links.push(child),
                _ => {}
            }
            ControlFlow::Continue(())
        });
        visited.map(drop)
    }

    /// Those of the links that lead to a directory out of the root, each directory by its first link:
    /// by that a scan reports its package. What lies inside is watched by its own path.
    pub(super) fn packages_outside(&self, links: &[String]) -> Vec<String> {
        if self.config.links == Links::Never {
            return Vec::new();
        }
        let root = self.config.root.canonicalize().unwrap_or_else(|_| self.config.root.clone());
        let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
        let is_outside = |link: &&String| {
            let target = self.config.root.join(link).canonicalize();
            let is_outside = |target: &PathBuf| target.is_dir() && !target.starts_with(&root);
            let target =
                target.ok().filter(|target| is_outside(target) && self.config.may_lead_to(target));
            target.is_some_and(|target| seen.insert(target))
        };
        links.iter().filter(is_outside).cloned().collect()
    }
}
