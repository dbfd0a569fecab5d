//! Determines the directories that a scan would search.

use std::ops::ControlFlow;

use prowess_dir::{Dir, Entry, EntryBuffer, ErrorKind, Links as Confined};

use prowess_core::SKILL_MD_FILES;

use crate::FsConfig;
use crate::admission::{Admission, Parent, Reach, admits, goes_below, join, reaches, skill_file};
use crate::kept::Kept;
use crate::link::{RealPaths, open_package_below};

pub(super) use prowess_dir::Kind;

/// Walks a tree as a scan does, without reading a file.
pub(super) struct Survey<'c> {
    config: &'c FsConfig,
    kept: Option<&'c Kept>,
    /// `None` if the root does not exist or cannot be entered.
    root: Option<Dir>,
}

/// The entries of a directory that a scan would visit.
#[derive(Default)]
pub(super) struct Found {
    pub(super) is_package: bool,
    /// The directories to search next, by path from the root.
    pub(super) directories: Vec<String>,
    /// Links that may lead to packages.
    pub(super) links: Vec<String>,
    /// Its `SKILL.md`, where that is a link.
    pub(super) linked_files: Vec<String>,
}

impl<'c> Survey<'c> {
    /// # Errors
    ///
    /// Returns an error if the root cannot be examined, for example because the process has no file
    /// descriptors left.
    pub(super) fn new(config: &'c FsConfig, kept: Option<&'c Kept>) -> prowess_dir::Result<Self> {
        let root = unless_unavailable(config.open_root())?;
        Ok(Self { config, kept, root })
    }

    /// Returns the kind of file at a path, without following a link.
    pub(super) fn kind(&self, path: &str) -> Option<Kind> {
        self.root.as_ref()?.stat_unconfined(path).ok().map(|stat| stat.kind)
    }

    /// Returns whether a scan reaches a directory.
    pub(super) fn is_reached(&self, path: &str) -> bool {
        let reach = self.root.as_ref().map(|root| reaches(self.config, root, path));
        matches!(reach, Some(Reach::Reached(_)))
    }

    /// Lists a directory. One that was removed or cannot be entered is empty: a scan reports it.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`].
    pub(super) fn look_into(&self, path: &str) -> prowess_dir::Result<Found> {
        let Some(root) = &self.root else { return Ok(Found::default()) };
        let mut found = Found::default();
        // A listing shows the `SKILL.md` as well, so that only what is not listed is examined.
        let is_listed = goes_below(self.config, true)
            && unless_unavailable(self.list(root, path, &mut found))?.is_some();
        if !is_listed {
            let file = skill_file(root, path).filter(|_| self.config.may_be_package(path));
            found.is_package = file.is_some();
            let linked = file.filter(|(_, kind)| *kind == Kind::Link);
            found.linked_files.extend(linked.map(|(path, _)| path));
            if goes_below(self.config, found.is_package) {
                unless_unavailable(self.list(root, path, &mut found))?;
            }
        }
        found.is_package &= self.config.may_be_package(path);
        Ok(found)
    }

    fn list(&self, root: &Dir, path: &str, found: &mut Found) -> prowess_dir::Result<()> {
        let parent = Parent::at(path);
        let visit = |entry: Entry<'_>| {
            if let Some(name) = entry.name().filter(|name| SKILL_MD_FILES.contains(name)) {
                found.is_package = true;
                let is_link = entry.kind() == Kind::Link;
                found.linked_files.extend(is_link.then(|| join(path, name)));
            }
            match admits(self.config, parent, entry.name_bytes(), entry.kind()) {
                Admission::Directory(path) => found.directories.push(path),
                Admission::Link(path) => found.links.push(path),
                Admission::File
                | Admission::Skipped
                | Admission::TooDeep
                | Admission::Unusable(_) => {}
            }
            ControlFlow::<()>::Continue(())
        };
        if let Some(kept) = self.kept.and_then(|kept| kept.listing(path)) {
            let _ = kept.entries().try_for_each(visit);
            return Ok(());
        }
        let mut names = EntryBuffer::default();
        let mut directory = root.open_dir(path, Confined::Refuse).or_else(|error| {
            // Below a link that a scan follows.
            open_package_below(self.config, root, &RealPaths::default(), path).map_err(|_| error)
        })?;
        directory.entries(&mut names)?.visit(visit).map(drop)
    }
}

/// Returns the result; `None` if it is certain that nothing relevant is there.
fn unless_unavailable<T>(answer: prowess_dir::Result<T>) -> prowess_dir::Result<Option<T>> {
    match answer {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::Unavailable => Err(error),
        Err(_) => Ok(None),
    }
}
