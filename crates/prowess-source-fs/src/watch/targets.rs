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

/// The targets of a tree's links.
#[derive(Default, PartialEq, Eq)]
pub(super) struct Targets {
    /// Links to directories that are watched by no path of their own, each directory by its first link: by
    /// that a scan reports its package.
    pub(super) packages: Vec<String>,
    /// By what names the targets will come, or open, that are not there yet or shut.
    pub(super) awaited: BTreeSet<OsString>,
    /// The directories in which they will, unless those are watched already.
    pub(super) beside: BTreeSet<PathBuf>,
}

/// Where each link leads that may be followed; `above` is what is watched out of the tree.
pub(super) fn targets(config: &FsConfig, tree: &Tree, above: &[PathBuf]) -> Targets {
    let mut targets = Targets::default();
    if config.links == Links::Never || !tree.has_links() {
        return targets;
    }
    let root = config.root.canonicalize().unwrap_or_else(|_| config.root.clone());
    let is_watched = |directory: &Path| {
        let inside = directory.strip_prefix(&root).ok().and_then(Path::to_str);
        inside.is_some_and(|inside| tree.is_package(inside).is_some())
    };
    let mut seen = BTreeSet::new();
    for link in tree.links() {
        match target(&config.root.join(&link)) {
            Target::There(target) => {
                let is_free = !is_watched(&target) && config.may_lead_to(&target);
                if is_free && seen.insert(target) {
                    targets.packages.push(link);
                }
            }
            Target::Awaited(name, beside) if config.may_lead_to(&beside) => {
                targets.awaited.insert(name);
                targets.beside.insert(beside);
            }
            Target::Awaited(..) | Target::None => {}
        }
    }
    // What is watched by another path must stay so: by this one its events would come instead.
    let above: BTreeSet<_> = above.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let is_free =
        |path: &PathBuf| !is_watched(path) && !seen.contains(path) && !above.contains(path);
    targets.beside.retain(is_free);
    targets
}

/// What is at the end of a link.
enum Target {
    /// A directory that can be entered.
    There(PathBuf),
    /// Something that will come or open by this name, in this directory.
    Awaited(OsString, PathBuf),
    /// A file, or nothing that could come by itself.
    None,
}

fn target(link: &Path) -> Target {
    let shut = match link.canonicalize() {
        Ok(target) if may_be_entered(&target) => return Target::There(target),
        Ok(target) if target.is_dir() => target,
        Err(error) if is_to_come(error.kind()) => last_of_links(link.to_owned()),
        // Round in a circle: who mends that changes a link.
        Ok(_) | Err(_) => return Target::None,
    };
    let nearest = nearest_directory(&shut);
    let name = shut.strip_prefix(&nearest).ok().and_then(|rest| rest.iter().next());
    match (name, nearest.canonicalize()) {
        (Some(name), Ok(beside)) => Target::Awaited(name.to_owned(), beside),
        _ => Target::None,
    }
}

fn is_to_come(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::PermissionDenied)
}

/// Where a link leads whose target cannot be had.
fn last_of_links(mut path: PathBuf) -> PathBuf {
    for _ in 0..MOST_LINKS {
        match (path.read_link(), path.parent()) {
            (Ok(target), Some(parent)) => path = parent.join(target),
            _ => break,
        }
    }
    path
}
