//! Where links to packages lead, as far as no walk comes there.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::tree::Tree;
use super::{may_be_entered, nearest_directory};
use crate::{FsConfig, Links};

/// How many links lead from one to the next before the system calls it a circle.
const MOST_LINKS: usize = 40;

/// What the disk says of a tree's links. To look takes as long as the slowest disk that one leads to.
pub(super) struct Ends {
    /// The root's real path.
    root: PathBuf,
    /// The real paths of the directories out of the tree that are watched.
    above: BTreeSet<PathBuf>,
    /// Each link that may be followed, and what is at its end.
    ends: Vec<(String, End)>,
}

/// What is at the end of a link.
enum End {
    /// A directory that can be entered.
    There(PathBuf),
    /// Something that will come or open by this name, in this directory.
    Awaited(OsString, PathBuf),
    /// A file, or nothing that could come by itself.
    Nothing,
}

/// What is to be watched because of links.
#[derive(Default, PartialEq, Eq)]
pub(super) struct Targets {
    /// Links to directories that are watched by no path of their own, each directory by its first link: by
    /// that a scan reports its package.
    pub(super) packages: Vec<String>,
    /// By what names something will come, or open, that decides where a link leads.
    pub(super) awaited: BTreeSet<OsString>,
    /// The directories in which it will, unless those are watched already.
    pub(super) beside: BTreeSet<PathBuf>,
}

impl Ends {
    /// Looks where the links lead.
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

    /// What of it is not watched as a part of the tree.
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
                    // It is told of by this path from now on, the names on the way to the root included.
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
        // What is watched by another path stays so: by this one its events would come instead.
        let is_free = |path: &PathBuf| {
            !is_watched(path) && !seen.contains(path) && !self.above.contains(path)
        };
        targets.beside.retain(is_free);
        targets
    }
}

fn end(link: &Path) -> End {
    match link.canonicalize() {
        Ok(target) if may_be_entered(&target) => End::There(target),
        Ok(target) if target.is_dir() => awaited(target),
        Err(error) if is_to_come(error.kind()) => awaited(link.to_owned()),
        // A file, or round in a circle: who mends that changes a link.
        Ok(_) | Err(_) => End::Nothing,
    }
}

fn is_to_come(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::PermissionDenied)
}

/// The first part of a path that cannot be had, over all links on the way.
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
