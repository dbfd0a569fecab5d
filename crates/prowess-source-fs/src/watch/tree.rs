//! The set of watched directories.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use prowess_dir::REPOSITORY;

use super::targets::{Targets, WayOfFile};
use crate::{FsConfig, Nested};

/// The watched directories by their paths from the root, and whether each is a package.
pub(super) struct Tree {
    root: PathBuf,
    /// The names of files that exclude directories.
    excluding: Vec<&'static str>,
    /// Whether scans list the files of packages.
    lists_packages: bool,
    directories: BTreeMap<String, bool>,
    /// Links that may lead to packages.
    links: BTreeSet<String>,
    /// Each `SKILL.md` that is a link.
    linked_files: BTreeSet<String>,
    /// The directories that are watched because of links.
    targets: Targets,
}

impl Tree {
    pub(super) fn new(config: &FsConfig) -> Self {
        let root = config.root.clone();
        let gitignore = config.gitignore.iter().map(|_| ".gitignore");
        let repository = config.within.iter().map(|_| REPOSITORY);
        Self {
            root,
            excluding: gitignore.chain(repository).collect(),
            lists_packages: config.nested == Nested::Descend,
            directories: BTreeMap::new(),
            links: BTreeSet::new(),
            linked_files: BTreeSet::new(),
            targets: Targets::default(),
        }
    }

    /// Returns whether a path is a file that excludes directories: a `.gitignore`, or in a project
    /// the `.git` of another repository.
    pub(super) fn respects(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| self.excluding.iter().any(|it| name == *it))
    }

    /// Returns whether scans compare the name at a path with the others of its directory, because
    /// it may look the same as one of them.
    pub(super) fn compares(&self, path: &str) -> bool {
        self.lists_packages && !path.is_ascii()
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn len(&self) -> usize {
        self.directories.len()
    }

    pub(super) fn add(&mut self, path: &str) {
        self.directories.entry(path.to_owned()).or_insert(false);
    }

    pub(super) fn set_package(&mut self, path: &str, is_package: bool) {
        if let Some(known) = self.directories.get_mut(path) {
            *known = is_package;
        }
    }

    /// Returns whether a watched directory is a package; `None` if it is not watched.
    pub(super) fn is_package(&self, path: &str) -> Option<bool> {
        self.directories.get(path).copied()
    }

    /// Returns whether a directory is watched.
    pub(super) fn watches(&self, path: &Path) -> bool {
        let inside = path.strip_prefix(&self.root).ok().and_then(Path::to_str);
        inside.is_some_and(|inside| self.directories.contains_key(inside))
    }

    /// Returns the watched directories.
    pub(super) fn watched(&self) -> impl Iterator<Item = PathBuf> {
        self.directories.keys().map(|path| self.root.join(path))
    }

    pub(super) fn add_link(&mut self, path: String) {
        self.links.insert(path);
    }

    pub(super) fn is_link(&self, path: &str) -> bool {
        self.links.contains(path)
    }

    pub(super) fn has_links(&self) -> bool {
        !self.links.is_empty() || !self.linked_files.is_empty()
    }

    /// Returns the links that may lead to packages, and each `SKILL.md` that is one.
    pub(super) fn links(&self) -> (Vec<String>, Vec<String>) {
        let all = |links: &BTreeSet<String>| links.iter().cloned().collect();
        (all(&self.links), all(&self.linked_files))
    }

    pub(super) fn add_linked_file(&mut self, path: String) {
        self.linked_files.insert(path);
    }

    pub(super) fn is_linked_file(&self, path: &str) -> bool {
        self.linked_files.contains(path)
    }

    pub(super) fn set_targets(&mut self, targets: Targets) {
        self.targets = targets;
    }

    /// Returns the packages whose `SKILL.md` is a link that may lead through a path.
    pub(super) fn read_through<'t>(&'t self, path: &'t Path) -> impl Iterator<Item = &'t str> {
        let leads = move |way: &&WayOfFile| {
            way.part.file_name() == path.file_name()
                && (way.part == path || path.starts_with(self.root.join(&way.package)))
        };
        self.targets.files.iter().filter(leads).map(|way| &*way.package)
    }

    /// Returns whether a path outside may be the target of a link.
    pub(super) fn awaits(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| self.targets.awaited.contains(name))
    }

    /// Returns whether another file at a path may change where a link leads.
    pub(super) fn leads_through(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| self.targets.parts.contains(name))
    }

    /// Returns whether directories below this one are watched.
    pub(super) fn has_below(&self, path: &str) -> bool {
        let prefix = prefix(path);
        let next = self.directories.range(prefix.clone()..).find(|(known, _)| **known != *path);
        next.is_some_and(|(known, _)| known.starts_with(&prefix))
    }

    /// Removes a directory and those below it; returns their paths.
    pub(super) fn take_below(&mut self, path: &str) -> Vec<String> {
        let prefix = prefix(path);
        let below = self.directories.range(prefix.clone()..);
        let below = below.map(|(known, _)| known).take_while(|known| known.starts_with(&prefix));
        let mut taken: Vec<_> = below.cloned().collect();
        if self.directories.contains_key(path) && !path.is_empty() {
            taken.push(path.to_owned());
        }
        for path in &taken {
            self.directories.remove(path);
        }
        taken
    }
}

/// Returns the prefix of all paths below a directory.
fn prefix(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("{path}/") }
}
