//! Interprets events of the operating system for a tree of skills.

use std::collections::BTreeSet;
use std::path::Path;

use notify::event::{CreateKind, ModifyKind, RenameMode};
use notify::{Event, EventKind};
use prowess_core::PackagePath;

use super::tree::Tree;
use super::work::Work;
use crate::package::FILES;

/// The consequences of an event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sorted {
    /// Packages whose `SKILL.md` may have changed.
    pub(super) packages: Vec<PackagePath>,
    /// The paths to examine on the disk.
    pub(super) work: Work,
}

impl Sorted {
    /// Returns the consequences of an event of unknown extent.
    pub(super) fn anything() -> Self {
        Self { packages: Vec::new(), work: Work::Everything }
    }

    fn package(path: &str) -> Self {
        let packages = PackagePath::new(path).into_iter().collect();
        Self { packages, work: Work::default() }
    }

    fn place(path: &str) -> Self {
        let work = Work::Places(BTreeSet::from([path.to_owned()]));
        Self { packages: Vec::new(), work }
    }

    fn and(mut self, more: Self) -> Self {
        self.packages.extend(more.packages);
        self.work.add(more.work);
        self
    }
}

/// Returns the consequences of an event for the watched directories.
pub(super) fn sort(event: &Event, tree: &Tree) -> Sorted {
    // Lost events have no path.
    if event.need_rescan() {
        return Sorted::anything();
    }
    let is_both = event.kind == EventKind::Modify(ModifyKind::Name(RenameMode::Both));
    // Both ends of a rename had their own events.
    if is_both && event.tracker().is_some() {
        return Sorted::default();
    }
    event
        .paths
        .iter()
        .map(|path| sort_path(event.kind, path, tree))
        .fold(Sorted::default(), Sorted::and)
}

fn sort_path(kind: EventKind, path: &Path, tree: &Tree) -> Sorted {
    let sorted = sort_place(kind, path, tree);
    let mut packages = tree.read_through(path).map(Sorted::package).peekable();
    if matches!(kind, EventKind::Access(_)) || packages.peek().is_none() {
        return sorted;
    }
    let sorted = packages.fold(sorted, Sorted::and);
    // Behind a link or a directory on the way, others are watched. A file is at the end of it.
    let is_on_the_way = || path.symlink_metadata().is_ok_and(|it| !it.is_file());
    if is_content(kind) || !is_on_the_way() { sorted } else { sorted.and(Sorted::anything()) }
}

fn sort_place(kind: EventKind, path: &Path, tree: &Tree) -> Sorted {
    if tree.respects(path) && !matches!(kind, EventKind::Access(_)) {
        return Sorted::anything();
    }
    let Ok(inside) = path.strip_prefix(tree.root()) else {
        // On the path of a missing or linked root, or of the target of a link.
        let is_on_the_way = tree.root().starts_with(path) || is_awaited(kind, path, tree);
        return if is_on_the_way { Sorted::anything() } else { Sorted::default() };
    };
    // Its name cannot be that of a package, but a scan reports it.
    let Some(inside) = inside.to_str() else { return Sorted::anything() };
    let is_name = is_name(kind);
    if inside.is_empty() || is_name && tree.compares(inside) {
        return Sorted::anything();
    }
    let (parent, name) = inside.rsplit_once('/').unwrap_or(("", inside));
    if FILES.contains(&name) {
        // What another link leads to is watched, too.
        let is_linked = || tree.is_linked_file(inside) || path.is_symlink();
        if is_name && is_linked() {
            return Sorted::anything();
        }
        sort_skill_file(kind, parent, tree)
    } else {
        sort_other(kind, inside, parent, tree)
    }
}

/// Returns whether a name has come or gone.
fn is_name(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
    )
}

/// Handles a created, changed or removed `SKILL.md`.
fn sort_skill_file(kind: EventKind, directory: &str, tree: &Tree) -> Sorted {
    let changed = Sorted::package(directory);
    let is_content =
        matches!(kind, EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_)));
    let was_package = tree.is_package(directory) == Some(true);
    if directory.is_empty() {
        // A root that is a package ends the walk.
        return if is_content { changed } else { Sorted::anything() };
    }
    // Directories below a package may have to be searched now, or no longer.
    let has_gone = matches!(
        kind,
        EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From))
    );
    if is_content || (was_package && !has_gone) {
        changed
    } else {
        changed.and(Sorted::place(directory))
    }
}

/// Handles other paths: a directory, a link to one, or another file.
fn sort_other(kind: EventKind, path: &str, parent: &str, tree: &Tree) -> Sorted {
    let is_known = tree.is_package(path).is_some() || tree.is_link(path);
    if is_awaited(kind, Path::new(path), tree) {
        return Sorted::anything();
    }
    match kind {
        _ if is_content(kind) => Sorted::default(),
        // It may be entered now, or no longer.
        EventKind::Modify(ModifyKind::Metadata(_)) if is_known => {
            Sorted::package(path).and(Sorted::place(path))
        }
        EventKind::Modify(ModifyKind::Metadata(_)) => Sorted::default(),
        EventKind::Create(CreateKind::Folder) => Sorted::place(path),
        _ if is_known => Sorted::place(path),
        // Below a package nothing is searched, unless packages may be nested.
        _ if tree.is_package(parent) == Some(true) && !tree.has_below(parent) => Sorted::default(),
        _ => Sorted::place(path),
    }
}

/// Returns whether nothing else than the content of a file is concerned, which has had an event
/// before.
fn is_content(kind: EventKind) -> bool {
    matches!(kind, EventKind::Modify(ModifyKind::Data(_)) | EventKind::Access(_))
}

/// Returns whether a path may be the target of a link, or on the way there.
fn is_awaited(kind: EventKind, path: &Path, tree: &Tree) -> bool {
    !is_content(kind) && tree.awaits(path) || is_name(kind) && tree.leads_through(path)
}
