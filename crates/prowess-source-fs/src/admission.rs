//! Decides what a walk enters.
//!
//! A scan, the survey of a watch and the scan of single packages must agree on this, so all of them
//! call these functions.

use prowess_core::{Code, PackagePath, SKILL_MD_FILES};
use prowess_dir::{Dir, ErrorKind, Kind, REPOSITORY};

use crate::{FsConfig, Nested, codes};

/// The directory of an entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parent<'p> {
    pub(crate) path: &'p str,
    /// The number of directories on that path.
    pub(crate) depth: usize,
}

/// The treatment of one entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// A directory to search, by its path from the root.
    Directory(String),
    /// A link that may lead to a package, by its path from the root.
    Link(String),
    /// A file, or a link in the place of a `SKILL.md`.
    File,
    /// A directory or a link with a name that no search enters.
    Skipped,
    /// A directory or a link below the depth limit.
    TooDeep,
    /// A directory or a link that cannot be part of a package's path, with the code of the reason.
    Unusable(Code),
}

impl<'p> Parent<'p> {
    /// Creates the parent at a path, which is not absolute.
    #[cfg(any(test, feature = "watch"))]
    pub(crate) fn at(path: &'p str) -> Self {
        let depth = if path.is_empty() { 0 } else { path.split('/').count() };
        Self { path, depth }
    }
}

/// Returns how a walk treats an entry of a directory.
pub(crate) fn admits(config: &FsConfig, parent: Parent<'_>, name: &[u8], kind: Kind) -> Admission {
    if let Some(admission) = refuses(config, parent.depth, name, kind) {
        return admission;
    }
    let Ok(name) = std::str::from_utf8(name) else {
        return Admission::Unusable(codes::PATH_NOT_UTF8);
    };
    let path = join(parent.path, name);
    match kind {
        _ if !PackagePath::is_normal(&path) => Admission::Unusable(codes::PATH_NOT_PORTABLE),
        Kind::Link => Admission::Link(path),
        _ => Admission::Directory(path),
    }
}

/// Returns why an entry is not entered, whatever characters its name has.
pub(crate) fn refuses(
    config: &FsConfig,
    depth: usize,
    name: &[u8],
    kind: Kind,
) -> Option<Admission> {
    let is_skill_file = || SKILL_MD_FILES.iter().any(|file| file.as_bytes() == name);
    match kind {
        Kind::Directory => {}
        // A `SKILL.md` that is a link belongs to its directory, which reports it.
        Kind::Link if !is_skill_file() => {}
        _ => return Some(Admission::File),
    }
    if config.skips(name) {
        return Some(Admission::Skipped);
    }
    (depth >= config.max_depth).then_some(Admission::TooDeep)
}

pub(crate) fn goes_below(config: &FsConfig, is_package: bool) -> bool {
    !is_package || config.nested == Nested::Descend
}

/// Whether a walk reaches a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It does, and the directory has this inode.
    Reached(u64),
    /// It does not: the directory does not exist, is skipped, or lies in a package that ends the
    /// walk.
    Passed,
    /// It depends on more than the directories on the path: there is a link or the depth limit on
    /// it, or a directory that cannot be entered.
    Depends,
}

/// Returns whether a walk reaches a directory by its path, without `.gitignore` files.
pub(crate) fn reaches(config: &FsConfig, root: &Dir, path: &str) -> Reach {
    let mut inode = 0;
    let mut parent = Parent { path: "", depth: 0 };
    if path.is_empty() {
        return root.stat_unconfined("").map_or(Reach::Depends, |stat| Reach::Reached(stat.inode));
    }
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    for directory in ends.map(|end| &path[..end]) {
        let is_package = config.may_be_package(parent.path) && is_package(root, parent.path);
        if !goes_below(config, is_package) {
            return Reach::Passed;
        }
        let stat = match root.stat_unconfined(directory) {
            Ok(stat) => stat,
            Err(error) => return of_missing(error.kind()),
        };
        let name = directory.rsplit('/').next().unwrap_or(directory);
        match admits(config, parent, name.as_bytes(), stat.kind) {
            Admission::Directory(_) if config.leaves_out(root, directory) => return Reach::Passed,
            Admission::Directory(_) => inode = stat.inode,
            Admission::File | Admission::Skipped => return Reach::Passed,
            Admission::Link(_) | Admission::TooDeep | Admission::Unusable(_) => {
                return Reach::Depends;
            }
        }
        parent = Parent { path: directory, depth: parent.depth + 1 };
    }
    Reach::Reached(inode)
}

/// Classifies a directory that cannot be examined: it does not exist, or it cannot be entered.
fn of_missing(error: ErrorKind) -> Reach {
    match error {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Reach::Passed,
        _ => Reach::Depends,
    }
}

/// Returns whether a directory has a `SKILL.md` of any kind of file.
pub(crate) fn is_package(root: &Dir, directory: &str) -> bool {
    skill_file(root, directory).is_some()
}

/// Returns the path of the `SKILL.md` of a directory, and its kind of file.
pub(crate) fn skill_file(root: &Dir, directory: &str) -> Option<(String, Kind)> {
    SKILL_MD_FILES.iter().find_map(|file| {
        let path = join(directory, file);
        let kind = root.stat_unconfined(&*path).ok()?.kind;
        Some((path, kind))
    })
}

impl FsConfig {
    /// Returns whether a directory is a package if it has a `SKILL.md`.
    pub(crate) fn may_be_package(&self, path: &str) -> bool {
        !self.holds_skills || !path.is_empty()
    }

    /// Returns whether a directory is another repository in the project: trust in the project does
    /// not cover it.
    pub(crate) fn leaves_out(&self, parent: &Dir, path: &str) -> bool {
        self.within.is_some() && parent.stat_unconfined(&*join(path, REPOSITORY)).is_ok()
    }
}

pub(crate) fn join(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        directory => [directory, "/", name].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_has_one_treatment() {
        let config = FsConfig { max_depth: 2, ..FsConfig::new("/skills") };
        let (directory, link, file) = (Kind::Directory, Kind::Link, Kind::File);
        let cases: [(&str, &[u8], Kind, Admission); 14] = [
            ("", b"pdf", directory, Admission::Directory("pdf".into())),
            ("group", b"pdf", directory, Admission::Directory("group/pdf".into())),
            ("", b".claude", directory, Admission::Directory(".claude".into())),
            ("", b"SKILL.md", directory, Admission::Directory("SKILL.md".into())),
            ("group", b"pdf", link, Admission::Link("group/pdf".into())),
            ("", b"SKILL.md", link, Admission::File),
            ("", b"skill.md", link, Admission::File),
            ("", b"pdf", file, Admission::File),
            ("", b"node_modules", file, Admission::File),
            ("", b"node_modules", link, Admission::Skipped),
            ("a/b", b".git", directory, Admission::Skipped),
            ("a/b", b"pdf", directory, Admission::TooDeep),
            ("", b"c:pdf", directory, Admission::Unusable(codes::PATH_NOT_PORTABLE)),
            ("", b"\xff", link, Admission::Unusable(codes::PATH_NOT_UTF8)),
        ];
        for (parent, name, kind, expected) in cases {
            let admission = admits(&config, Parent::at(parent), name, kind);
            let name = String::from_utf8_lossy(name);
            assert_eq!(admission, expected, "`{name}`, {kind:?}, in `{parent}`");
        }
    }
}
