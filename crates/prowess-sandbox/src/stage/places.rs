//! The paths of the host that a fresh root has, and the links on the way to them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::network::Reach;
use super::paths::{ALTERNATIVES, DISCARD, LIBRARIES, SYSTEM};
use crate::Rights;

/// The most links that a path may lead through, as the kernel has it.
const MOST_LINKS: usize = 40;

/// The paths of a fresh root.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// Links, with the paths that they lead to as they are written.
    pub(super) links: BTreeMap<PathBuf, PathBuf>,
    /// Files and directories without links in their paths, and whether they can be written to. A
    /// directory comes before those below it.
    pub(super) binds: BTreeMap<PathBuf, bool>,
}

impl Places {
    /// Returns the existing paths that rights are about.
    pub(super) fn of(rights: &Rights, reach: Reach) -> Self {
        let mut places = Self::default();
        let system = LIBRARIES.iter().chain(&SYSTEM).chain(&DISCARD).map(Path::new);
        // The root has a file system of its own for processes.
        places.add(system.filter(|path| !path.starts_with("/proc")), false);
        places.add(reach.files(), false);
        if !rights.execute.is_empty() {
            places.add([Path::new(ALTERNATIVES)].into_iter(), false);
        }
        places.add(rights.read.iter().chain(&rights.execute).map(PathBuf::as_path), false);
        places.add(rights.write.iter().map(PathBuf::as_path), true);
        places.drop_covered();
        let mut resolved = |paths: &[PathBuf]| -> Vec<PathBuf> {
            paths.iter().filter_map(|path| places.resolve(path)).collect()
        };
        let (kept, written) = (resolved(&rights.keep), resolved(&rights.write));
        let in_kept = |path: &PathBuf| kept.iter().any(|kept| path.starts_with(kept));
        let named: Vec<_> = written.into_iter().filter(in_kept).collect();
        places.binds.extend(kept.into_iter().map(|path| (path, false)));
        places.binds.extend(named.into_iter().map(|path| (path, true)));
        places
    }

    fn add<'a>(&mut self, paths: impl Iterator<Item = &'a Path>, is_writable: bool) {
        for path in paths {
            if let Some(path) = self.resolve(path) {
                *self.binds.entry(path).or_default() |= is_writable;
            }
        }
    }

    /// Follows the links of a path and notes each of them. Returns `None` if the path is missing.
    fn resolve(&mut self, path: &Path) -> Option<PathBuf> {
        let mut at = PathBuf::from("/");
        let mut left = parts(path);
        let mut followed = 0;
        while let Some(part) = left.pop() {
            if part == ".." {
                at.pop();
                continue;
            }
            let next = at.join(&part);
            match fs::read_link(&next) {
                Ok(target) => {
                    followed += 1;
                    if followed > MOST_LINKS {
                        return None;
                    }
                    if target.is_absolute() {
                        at = PathBuf::from("/");
                    }
                    left.extend(parts(&target));
                    self.links.insert(next, target);
                }
                // It is no link.
                Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => at = next,
                Err(_) => return None,
            }
        }
        Some(at)
    }

    /// Drops what a directory above has with the same right or more.
    fn drop_covered(&mut self) {
        let all = self.binds.clone();
        let is_covered = |path: &Path, is_writable: bool| {
            let mut above = path.ancestors().skip(1).filter_map(|above| all.get(above));
            above.any(|&above_is_writable| above_is_writable || !is_writable)
        };
        self.binds.retain(|path, is_writable| !is_covered(path, *is_writable));
    }
}

/// Returns the parts of a path, the last one first.
fn parts(path: &Path) -> Vec<OsString> {
    let parts = path.components().filter(|part| {
        matches!(part, std::path::Component::Normal(_) | std::path::Component::ParentDir)
    });
    let mut parts: Vec<_> = parts.map(|part| part.as_os_str().to_owned()).collect();
    parts.reverse();
    parts
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Returns the places of one path, relative to a directory with `dir/file` and two links.
    fn places(path: &str) -> (Vec<String>, Vec<String>) {
        let directory = tempfile::tempdir().expect("a directory can be created");
        let root = directory.path().canonicalize().expect("it exists");
        fs::create_dir(root.join("dir")).expect("it is new");
        fs::write(root.join("dir/file"), "").expect("it is new");
        symlink("dir", root.join("relative")).expect("it is new");
        symlink(root.join("relative/../relative"), root.join("absolute")).expect("it is new");
        symlink("loop", root.join("loop")).expect("it is new");
        let mut places = Places::default();
        places.add([root.join(path).as_path()].into_iter(), false);
        let below = |paths: Vec<&PathBuf>| {
            let below = paths.into_iter().filter_map(|path| path.strip_prefix(&root).ok());
            below.map(|path| path.display().to_string()).collect()
        };
        (below(places.links.keys().collect()), below(places.binds.keys().collect()))
    }

    #[track_caller]
    fn check(path: &str, links: &[&str], binds: &[&str]) {
        let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(places(path), (owned(links), owned(binds)), "{path}");
    }

    #[test]
    fn links_are_followed_and_kept() {
        check("dir/file", &[], &["dir/file"]);
        check("relative/file", &["relative"], &["dir/file"]);
        check("absolute/file", &["absolute", "relative"], &["dir/file"]);
    }

    #[test]
    fn missing_paths_and_loops_are_skipped() {
        check("missing", &[], &[]);
        check("dir/missing", &[], &[]);
        check("loop", &["loop"], &[]);
    }

    #[test]
    fn a_path_below_another_is_bound_for_more_rights_alone() {
        let binds = [("/a", false), ("/a/b", false), ("/a/c", true), ("/a/c/d", false)];
        let binds = binds.map(|(path, is_writable)| (PathBuf::from(path), is_writable));
        let mut places = Places { binds: binds.into(), ..Places::default() };
        places.drop_covered();
        let kept: Vec<_> = places.binds.keys().map(|path| path.display().to_string()).collect();
        assert_eq!(kept, ["/a", "/a/c"]);
    }
}
