//! What an event of the operating system means for a tree of skills.

use std::collections::BTreeSet;
use std::path::Path;

use notify::event::{CreateKind, ModifyKind, RenameMode};
use notify::{Event, EventKind};
use prowess_core::PackagePath;

use super::tree::Tree;
use super::work::Work;
use crate::package::FILES;

/// What follows from an event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sorted {
    /// Packages whose `SKILL.md` may be another one.
    pub(super) packages: Vec<PackagePath>,
    /// What has to be looked at on the disk.
    pub(super) work: Work,
}

impl Sorted {
    /// Anything may have happened.
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

/// What follows from an event for the directories that are watched.
pub(super) fn sort(event: &Event, tree: &Tree) -> Sorted {
    // What was lost has no path.
    if event.need_rescan() {
        return Sorted::anything();
    }
    let is_both = event.kind == EventKind::Modify(ModifyKind::Name(RenameMode::Both));
    // Both ends of a rename were told of one by one.
    if is_both && event.tracker().is_some() {
        return Sorted::default();
    }
    let sort = |path: &std::path::PathBuf| sort_path(event.kind, path, tree);
    event.paths.iter().map(sort).fold(Sorted::default(), Sorted::and)
}

fn sort_path(kind: EventKind, path: &Path, tree: &Tree) -> Sorted {
    if tree.heeds(path) && !matches!(kind, EventKind::Access(_)) {
        return Sorted::anything();
    }
    let Ok(inside) = path.strip_prefix(tree.root()) else {
        // On the way to a root that is not there, or that is a link, or to where a link leads.
        let is_on_the_way = tree.root().starts_with(path) || is_awaited(kind, path, tree);
        return if is_on_the_way { Sorted::anything() } else { Sorted::default() };
    };
    // Its name is no package's, but a scan has something to say of it.
    let Some(inside) = inside.to_str() else { return Sorted::anything() };
    if inside.is_empty() {
        return Sorted::anything();
    }
    let (parent, name) = inside.rsplit_once('/').unwrap_or(("", inside));
    if FILES.contains(&name) {
        sort_skill_file(kind, parent, tree)
    } else {
        sort_other(kind, inside, parent, tree)
    }
}

/// A `SKILL.md` has come, changed or gone.
fn sort_skill_file(kind: EventKind, directory: &str, tree: &Tree) -> Sorted {
    let changed = Sorted::package(directory);
    let is_content =
        matches!(kind, EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_)));
    let was_package = tree.is_package(directory) == Some(true);
    if directory.is_empty() {
        // The root as a package ends the walk, or no longer does.
        return if is_content { changed } else { Sorted::anything() };
    }
    // What lies below a package may no longer be searched, or may be searched now.
    let has_gone = matches!(
        kind,
        EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From))
    );
    match is_content || (was_package && !has_gone) {
        true => changed,
        false => changed.and(Sorted::place(directory)),
    }
}

/// Something else: a directory, a link to one, or a file that is no skill's.
fn sort_other(kind: EventKind, path: &str, parent: &str, tree: &Tree) -> Sorted {
    let is_known = tree.is_package(path).is_some() || tree.is_link(path);
    if is_awaited(kind, Path::new(path), tree) {
        return Sorted::anything();
    }
    match kind {
        EventKind::Modify(ModifyKind::Data(_)) | EventKind::Access(_) => Sorted::default(),
        // It may be entered now, or no longer.
        EventKind::Modify(ModifyKind::Metadata(_)) if is_known => {
            Sorted::package(path).and(Sorted::place(path))
        }
        EventKind::Modify(ModifyKind::Metadata(_)) => Sorted::default(),
        EventKind::Create(CreateKind::Folder) => Sorted::place(path),
        _ if is_known => Sorted::place(path),
        // Below a package there is nothing to find, unless packages lie inside packages.
        _ if tree.is_package(parent) == Some(true) && !tree.has_below(parent) => Sorted::default(),
        _ => Sorted::place(path),
    }
}

/// Whether something may be what a link leads to. A file whose text changes has come before.
fn is_awaited(kind: EventKind, path: &Path, tree: &Tree) -> bool {
    !matches!(kind, EventKind::Modify(ModifyKind::Data(_)) | EventKind::Access(_))
        && tree.awaits(path)
}
