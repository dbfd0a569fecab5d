//! Sources on this machine: paths of folders and files, and repositories at a path.

use std::path::{Component, Path, PathBuf};

/// A source on this machine, as users and lock files write it.
///
/// A repository of git is written as `/srv/skills.git`, `git+/srv/skills` or a URL of `file`; a
/// directory of it may follow after `//`. Every path may be relative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalSource<'s> {
    /// The path, which starts with `/`, `./` or `../` or is `.` or `..`.
    pub path: &'s str,
    /// Whether it is a repository of git.
    pub is_repository: bool,
    /// The directory inside the repository; empty for its root.
    pub directory: &'s str,
}

impl<'s> LocalSource<'s> {
    /// Reads a source; `None` if it is not on this machine.
    pub fn read(source: &'s str) -> Option<Self> {
        let (rest, is_git) = match source.strip_prefix("git+") {
            Some(rest) => (rest, true),
            None => (source, false),
        };
        let rest = rest.strip_prefix("file://").unwrap_or(rest);
        if !is_path(rest) {
            return None;
        }
        if !is_git && !has_repository(rest) {
            return Some(Self { path: rest, is_repository: false, directory: "" });
        }
        let ended = || {
            let at = rest.find(".git/").filter(|at| !rest[..*at].ends_with('/'))? + 4;
            Some((&rest[..at], rest[at + 1..].trim_end_matches('/')))
        };
        let split = rest.split_once("//").or_else(ended);
        let (path, directory) = split.unwrap_or((rest, ""));
        Some(Self { path, is_repository: true, directory })
    }

    /// Returns the repository of git that is at a path or around it: a bare one of any name or, for
    /// a reference, which no folder has, that of a folder.
    #[must_use]
    pub fn as_found(self, has_reference: bool) -> Self {
        let is_repository = |path: &str| {
            let path = Path::new(path);
            let is_bare = ["HEAD", "objects", "refs"].iter().all(|name| path.join(name).exists());
            is_bare || (has_reference && path.join(".git").exists())
        };
        let is_there = !has_reference && Path::new(self.path).exists();
        let ends = self.path.match_indices('/').map(|(end, _)| end);
        let above = if is_there { Vec::new() } else { ends.filter(|end| *end > 0).collect() };
        let mut ends = above.into_iter().chain([self.path.len()]).rev();
        match ends.find(|end| !self.is_repository && is_repository(&self.path[..*end])) {
            Some(end) => Self {
                path: &self.path[..end],
                is_repository: true,
                directory: self.path[end..].trim_matches('/'),
            },
            None => self,
        }
    }

    /// Returns the source at another path, such as the absolute one.
    pub fn at(&self, path: &Path) -> String {
        let path = path.to_string_lossy();
        if !self.is_repository {
            return path.into_owned();
        }
        let scheme = if path.starts_with('/') { "git+file://" } else { "git+" };
        let separator = if self.directory.is_empty() { "" } else { "//" };
        format!("{scheme}{path}{separator}{}", self.directory)
    }

    /// Returns the source with a path that does not depend on the working directory.
    pub fn below(&self, directory: &Path) -> String {
        self.at(&normal(&directory.join(self.path)))
    }

    /// Returns the source with a path relative to a directory, as a lock that others use has it.
    pub fn relative_to(&self, directory: &Path) -> String {
        let (path, directory) = (normal(Path::new(self.path)), normal(directory));
        let common = path.components().zip(directory.components());
        let common = common.take_while(|(one, other)| one == other).count();
        let up = directory.components().skip(common).map(|_| Component::ParentDir);
        let relative: PathBuf = up.chain(path.components().skip(common)).collect();
        if relative.starts_with("..") {
            return self.at(&relative);
        }
        self.at(&Path::new(".").join(relative))
    }
}

/// Returns whether a source is a path by the way it starts.
pub(crate) fn is_path(source: &str) -> bool {
    matches!(source, "." | "..") || ["/", "./", "../"].iter().any(|start| source.starts_with(start))
}

/// Returns whether a part of a path is the name of a repository, such as `skills.git`.
pub(crate) fn has_repository(path: &str) -> bool {
    path.split('/').any(|part| part.ends_with(".git") && part != ".git")
}

/// Returns a path without `.` and `..`, without reading the disk.
fn normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut normal, part| {
        match part {
            Component::ParentDir if normal.file_name().is_some() => drop(normal.pop()),
            Component::CurDir => {}
            other => normal.push(other),
        }
        normal
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use prowess_testkit::rows;

    use super::LocalSource;

    const SOURCES: &str = include_str!("../tests/data/sources.txt");

    #[test]
    fn repository_is_found_by_what_is_there() {
        let place = tempfile::tempdir().expect("a temporary directory");
        for path in ["bare/objects", "bare/refs", "bare/hooks", "bare/HEAD", "tree/.git", "tree/a"]
        {
            std::fs::create_dir_all(place.path().join(path)).expect("directories can be made");
        }
        let root = place.path().to_string_lossy();
        for [path, reference, expected] in rows(SOURCES, "found on the disk") {
            let written = format!("{root}/{path}");
            let found = LocalSource::read(&written).expect("a path").as_found(reference == "true");
            let expected = expected.replace("ROOT", &root);
            assert_eq!(found.at(Path::new(found.path)), expected, "{path}");
        }
    }

    #[test]
    fn paths_and_repositories_are_told_apart() {
        for [source, path, is_repository, directory] in rows(SOURCES, "paths and repositories") {
            let (path, directory, is_repository) = (&*path, &*directory, is_repository == "true");
            let read = LocalSource::read(&source);
            assert_eq!(read, Some(LocalSource { path, is_repository, directory }), "{source}");
        }
        for source in ["owner/repo", "https://example.com/a.git", "git+https://a/b", "file://a/b"] {
            assert_eq!(LocalSource::read(source), None, "{source}");
        }
    }

    #[test]
    fn sources_are_relative_to_the_lock() {
        let project = Path::new("/home/me/project");
        for [source, relative, absolute] in rows(SOURCES, "relative to the lock") {
            let local = LocalSource::read(&source).expect(&source);
            assert_eq!(local.relative_to(project), relative);
            let again = LocalSource::read(&relative).expect(&relative);
            assert_eq!(again.below(project), absolute);
        }
    }
}
