//! The targets of links to packages that no walk reaches, and the ways there.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::way::{End, Ways};
use crate::{FsConfig, Links};

/// The resolved links of a tree. Resolving them takes as long as the slowest disk that one leads
/// to.
pub(super) struct Ends {
    /// The root's real path.
    root: PathBuf,
    /// The real paths of watched directories outside of the tree.
    above: BTreeSet<PathBuf>,
    /// Each link that may be followed, and its target.
    ends: Vec<(String, End)>,
    /// The links and the directories on the ways of the root and of these links, by their real
    /// paths: another one may take the place of each.
    parts: BTreeSet<PathBuf>,
    files: BTreeSet<WayOfFile>,
}

/// The directories to watch because of links.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Targets {
    /// Links to directories that are not watched by their own path, each directory by its first
    /// link, by which a scan reports its package.
    pub(super) packages: Vec<String>,
    /// The names of targets that may appear or open.
    pub(super) awaited: BTreeSet<OsString>,
    /// The names of what may be replaced on the ways.
    pub(super) parts: BTreeSet<OsString>,
    /// The directories of missing targets, unless they are watched already.
    pub(super) beside: BTreeSet<PathBuf>,
    /// The directories on the ways, likewise.
    pub(super) ways: BTreeSet<PathBuf>,
    /// The parts that the links of files lead through.
    pub(super) files: BTreeSet<WayOfFile>,
}

/// A file, a link or a directory through which the link in the place of a `SKILL.md` leads, by its
/// real path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WayOfFile {
    pub(super) part: PathBuf,
    pub(super) package: String,
}

impl Ends {
    /// Resolves the links, and the root.
    pub(super) fn look(
        config: &FsConfig,
        (links, files): (Vec<String>, Vec<String>),
        above: &[PathBuf],
    ) -> Self {
        let mut ways = Ways::default();
        let above = above.iter().map(|path| ways.real(path)).collect();
        let (end, mut of_root) = ways.resolve(&config.root);
        let (root, awaited) = match end {
            End::There(root) => (root, None),
            end => (config.root.clone(), Some((String::new(), end))),
        };
        of_root.push(root.clone());
        let ends = awaited.into_iter().collect();
        let mut this = Self { root, above, ends, parts: BTreeSet::new(), files: BTreeSet::new() };
        this.add_parts(config, &of_root);
        let fence = ways.real(config.within.as_ref().unwrap_or(&config.root));
        let links = if config.links == Links::Never { Vec::new() } else { links };
        for link in links {
            let (end, mut parts) = ways.resolve(&config.root.join(&link));
            let end = entered(end);
            match &end {
                End::There(target) => parts.push(target.clone()),
                End::Awaited(target) => parts.extend(target.parent().map(Path::to_owned)),
                End::Nothing => {}
            }
            let is_followed =
                |at: &PathBuf| config.links == Links::Follow || at.starts_with(&fence);
            if parts.last().is_some_and(is_followed) {
                this.add_parts(config, &parts);
                this.ends.push((link, end));
            }
        }
        this.files = files.iter().flat_map(|file| way_of_file(&mut ways, config, file)).collect();
        this
    }

    /// Adds what is on a way, with the directories above it that are not above the root, too.
    fn add_parts(&mut self, config: &FsConfig, parts: &[PathBuf]) {
        for part in parts {
            for part in part.ancestors() {
                if config.root.starts_with(part) || !self.parts.insert(part.to_owned()) {
                    break;
                }
            }
        }
    }

    /// Returns the targets that are not watched as a part of the tree at `root`; `is_known` says of
    /// its directories which are.
    pub(super) fn targets(&self, root: &Path, is_known: impl Fn(&str) -> bool) -> Targets {
        let is_watched = |directory: &Path| {
            let inside = directory.strip_prefix(&self.root).ok().and_then(Path::to_str);
            inside.is_some_and(&is_known)
        };
        let mut targets = Targets { files: self.files.clone(), ..Targets::default() };
        let mut seen = BTreeSet::new();
        let place = |part: &Path| Some((part.file_name()?.to_owned(), part.parent()?.to_owned()));
        for (link, end) in &self.ends {
            match end {
                End::There(target) if !is_watched(target) && seen.insert(target.as_path()) => {
                    targets.packages.push(link.clone());
                    // Its events have this path from now on, including the names of its parents.
                    if self.above.contains(target) {
                        let way = root.ancestors().filter_map(Path::file_name);
                        targets.awaited.extend(way.map(OsString::from));
                    }
                }
                End::There(_) | End::Nothing => {}
                End::Awaited(target) => {
                    let (name, beside) = place(target).unzip();
                    targets.awaited.extend(name);
                    targets.beside.extend(beside);
                }
            }
        }
        let parts = self.parts.iter().filter_map(|part| place(part));
        let (names, ways): (Vec<_>, Vec<_>) = parts.unzip();
        targets.parts.extend(names);
        let of_files = self.files.iter().filter_map(|file| place(&file.part)).map(|(_, at)| at);
        targets.ways.extend(ways.into_iter().chain(of_files));
        // A directory that is watched by another path stays so; otherwise its events would have
        // this path.
        let is_new = |path: &PathBuf| {
            !is_watched(path) && !seen.contains(path.as_path()) && !self.above.contains(path)
        };
        targets.beside.retain(is_new);
        targets.ways.retain(|path| is_new(path) && !targets.beside.contains(path));
        targets
    }
}

/// Returns the end of a link to a directory: one that cannot be entered may be later.
fn entered(end: End) -> End {
    match end {
        End::There(target) if may_be_entered(&target) => End::There(target),
        End::There(target) if target.is_dir() => End::Awaited(target),
        // A file: fixing it changes a link.
        End::There(_) => End::Nothing,
        end => end,
    }
}

/// Returns what the link in the place of a `SKILL.md` leads through in its package. Nothing outside
/// of that is read.
fn way_of_file(ways: &mut Ways, config: &FsConfig, file: &str) -> Vec<WayOfFile> {
    let package = file.rsplit_once('/').map_or("", |(package, _)| package);
    let directory = ways.real(&config.root.join(package));
    let (end, links) = ways.resolve(&config.root.join(file));
    let (End::There(end) | End::Awaited(end)) = end else { return Vec::new() };
    let parts = links.iter().chain([&end]).flat_map(|it| it.ancestors());
    let own = [directory.clone(), config.root.join(file)];
    let inside = parts.filter(|it| it.starts_with(&directory));
    let inside = inside.filter(|it| !own.iter().any(|own| own == it));
    let way = |part: &Path| WayOfFile { part: part.to_owned(), package: package.to_owned() };
    inside.map(way).collect()
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
