//! The targets of links to packages that no walk reaches.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::tree::Tree;
use crate::{FsConfig, Links};

/// The number of links in a chain after which the system reports a loop.
const MOST_LINKS: usize = 40;

/// The resolved links of a tree. Resolving them takes as long as the slowest disk that one leads
/// to.
pub(super) struct Ends {
    /// The root's real path.
    root: PathBuf,
    /// The real paths of watched directories outside of the tree.
    above: BTreeSet<PathBuf>,
    /// Each link that may be followed, and its target.
    ends: Vec<(String, End)>,
}

/// The target of a link.
enum End {
    /// A directory that can be entered.
    There(PathBuf),
    /// A missing or closed target, by its name and directory.
    Awaited(OsString, PathBuf),
    /// A file, or a target that cannot appear.
    Nothing,
}

/// The directories to watch because of links.
#[derive(Default, PartialEq, Eq)]
pub(super) struct Targets {
    /// Links to directories that are not watched by their own path, each directory by its first
    /// link, by which a scan reports its package.
    pub(super) packages: Vec<String>,
    /// The names of targets that may appear or open.
    pub(super) awaited: BTreeSet<OsString>,
    /// The directories of these names, unless they are watched already.
    pub(super) beside: BTreeSet<PathBuf>,
}

impl Ends {
    /// Resolves the links.
    pub(super) fn look(config: &FsConfig, links: Vec<String>, above: &[PathBuf]) -> Self {
        let root = config.root.canonicalize().unwrap_or_else(|_| config.root.clone());
        let above = above.iter().filter_map(|path| path.canonicalize().ok()).collect();
        let is_followed = |(_, end): &(String, End)| match end {
            End::There(at) | End::Awaited(_, at) => config.may_lead_to(at),
            End::Nothing => false,
        };
        let links = if config.links == Links::Never { Vec::new() } else { links };
        let ends = links.into_iter().map(|link| {
            let end = end(&config.root.join(&link));
            (link, end)
        });
        Self { root, above, ends: ends.filter(is_followed).collect() }
    }

    /// Returns the targets that are not watched as a part of the tree.
    pub(super) fn targets(&self, tree: &Tree) -> Targets {
        let is_watched = |directory: &Path| {
            let inside = directory.strip_prefix(&self.root).ok().and_then(Path::to_str);
            inside.is_some_and(|inside| tree.is_package(inside).is_some())
        };
        let mut targets = Targets::default();
        let mut seen = BTreeSet::new();
        for (link, end) in &self.ends {
            match end {
                End::There(target) if !is_watched(target) && seen.insert(target) => {
                    targets.packages.push(link.clone());
                    // Its events have this path from now on, including the names of its parents.
                    if self.above.contains(target) {
                        let way = tree.root().ancestors().filter_map(Path::file_name);
                        targets.awaited.extend(way.map(OsString::from));
                    }
                }
                End::There(_) | End::Nothing => {}
                End::Awaited(name, beside) => {
                    targets.awaited.insert(name.clone());
                    targets.beside.insert(beside.clone());
                }
            }
        }
        // A directory that is watched by another path stays so; otherwise its events would have
        // this path.
        targets.beside.retain(|path: &PathBuf| {
            !is_watched(path) && !seen.contains(path) && !self.above.contains(path)
        });
        targets
    }
}

fn end(link: &Path) -> End {
    match link.canonicalize() {
        Ok(target) if may_be_entered(&target) => End::There(target),
        Ok(target) if target.is_dir() => awaited(target),
        Err(error) if is_to_come(error.kind()) => awaited(link.to_owned()),
        // A file, or a loop of links: fixing either changes a link.
        Ok(_) | Err(_) => End::Nothing,
    }
}

fn is_to_come(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::PermissionDenied)
}

/// Returns the first missing part of a path, with all links resolved.
fn awaited(mut path: PathBuf) -> End {
    for _ in 0..MOST_LINKS {
        let nearest = nearest_directory(&path);
        let Ok(rest) = path.strip_prefix(&nearest) else { break };
        let mut rest = rest.iter();
        let Some(name) = rest.next() else { break };
        let Ok(next) = nearest.join(name).read_link() else {
            let name = name.to_owned();
            return nearest
                .canonicalize()
                .map_or(End::Nothing, |nearest| End::Awaited(name, nearest));
        };
        path = nearest.join(next).join(rest.as_path());
    }
    End::Nothing
}

/// Returns the root itself or the last existing directory on its path.
pub(super) fn nearest_directory(root: &Path) -> PathBuf {
    // A directory that cannot be entered cannot be watched either; changes of its permissions are
    // events of its parent.
    let nearest = root.ancestors().find(|ancestor| may_be_entered(ancestor));
    nearest.unwrap_or(Path::new("/")).to_owned()
}

/// Returns whether files below a directory can be opened, at least by name.
pub(super) fn may_be_entered(directory: &Path) -> bool {
    directory.join(".").symlink_metadata().is_ok()
}
