//! Follows symbolic links to packages, and reports the others.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::io::ErrorKind as IoErrorKind;
use std::path::{Component, Path, PathBuf};

use prowess_dir::{Dir, Error, ErrorKind, PACKAGES_OF_OTHERS, Refusals, has_other_authors};

use crate::package::{Probe, Prober};
use crate::surroundings::project_between;
use crate::way::Ways;
use crate::{FsConfig, Links, codes, problem};

/// How many directories lie between a link and the packages that are found through it: enough for
/// a checkout with `plugins/NAME/skills`, too few to search a home.
pub(crate) const LINKED_DEPTH: usize = 4;

/// Opens a package's directory. Links are followed as far as the configuration allows.
pub(crate) fn open_package(config: &FsConfig, package: &str) -> Result<Dir, Error> {
    match config.links {
        Links::Follow if config.opens_by_path() => Dir::open(config.root.join(package)),
        Links::Follow | Links::Never | Links::WithinRoot => {
            open_package_below(config, &config.open_root()?, &RealPaths::default(), package)
        }
    }
}

/// The same in an open root, with the real paths that were resolved before.
pub(crate) fn open_package_below(
    config: &FsConfig,
    root: &Dir,
    paths: &RealPaths,
    package: &str,
) -> Result<Dir, Error> {
    match config.links {
        Links::Follow if config.refusals() == Refusals::default() => {
            root.open_dir_anywhere(package)
        }
        Links::Follow => match root.open_dir(package, prowess_dir::Links::FollowInside) {
            Err(error) if error.kind() == ErrorKind::Escape => root.open_dir_anywhere(package),
            opened => opened,
        },
        Links::Never => root.open_dir(package, prowess_dir::Links::Refuse),
        Links::WithinRoot => root
            .open_dir(package, prowess_dir::Links::Refuse)
            .or_else(|error| paths.open(config, root, package).unwrap_or(Err(error))),
    }
}

/// The real paths that links are compared with, which a scan resolves once.
#[derive(Default)]
pub(crate) struct RealPaths {
    resolved: OnceCell<Option<Resolved>>,
    ways: RefCell<Ways>,
}

struct Resolved {
    root: PathBuf,
    project: Option<PathBuf>,
    /// The other project in that one which the root is in.
    other: Option<PathBuf>,
    folder: Option<Result<Dir, Error>>,
    /// The other project of the targets in a directory that are none themselves.
    others: RefCell<HashMap<PathBuf, Option<PathBuf>>>,
}

impl RealPaths {
    /// Opens a package by the real path of a link. An absolute link into the root leaves it by its
    /// text, and a link to another part of the project really leaves it; one into another project
    /// in that needs trust in the other. The target is resolved first and then opened without any
    /// link, so that a change in between cannot lead outside.
    fn open(&self, config: &FsConfig, root: &Dir, package: &str) -> Option<Result<Dir, Error>> {
        let paths = self.resolved.get_or_init(|| Resolved::of(config)).as_ref()?;
        let near = paths.by_text(root, package);
        match near.and_then(|target| paths.open(root, &target)) {
            Some(Ok(directory)) => Some(Ok(directory)),
            _ => paths.open(root, &self.target(config, package)?),
        }
    }

    /// Returns the real path of what is there.
    fn target(&self, config: &FsConfig, link: &str) -> Option<PathBuf> {
        self.ways.borrow_mut().there(&config.root.join(link))
    }
}

impl Resolved {
    fn of(config: &FsConfig) -> Option<Self> {
        let root = config.root.canonicalize().ok()?;
        let project = config.within.as_ref().and_then(|within| within.canonicalize().ok());
        let other = project.as_ref().and_then(|project| project_between(&root, project));
        let folder = config.within.as_deref().map(|within| config.open_folder(within));
        let folder = folder.map(|it| it.map(|folder| folder.refusing(config.refusals())));
        Some(Self { root, project, other, folder, others: RefCell::default() })
    }

    /// Opens a target without any link.
    fn open(&self, root: &Dir, target: &Path) -> Option<Result<Dir, Error>> {
        let project = self.project.as_ref();
        if project.and_then(|it| self.other_project(target, it)) != self.other {
            return None;
        }
        let inside = |folder: &Path| target.strip_prefix(folder).ok()?.to_str();
        let open = |folder: &Dir, path| folder.open_dir(path, prowess_dir::Links::Refuse);
        if let Some(path) = inside(&self.root) {
            return Some(open(root, path));
        }
        let path = inside(project?)?;
        let folder = self.folder.as_ref()?.as_ref();
        Some(folder.map_err(Error::clone).and_then(|folder| open(folder, path)))
    }

    /// Returns what the text of a link in the root says. If there is another link on the way, the
    /// target is elsewhere, and cannot be opened without one.
    fn by_text(&self, root: &Dir, link: &str) -> Option<PathBuf> {
        let text = root.read_link(link).ok().filter(|_| !link.contains('/'))?;
        let (mut target, mut goes_up) = (self.root.clone(), true);
        for component in Path::new(std::str::from_utf8(&text).ok()?).components() {
            match component {
                // Behind a name, it is the parent of where that leads.
                Component::ParentDir if !goes_up => return None,
                Component::ParentDir => drop(target.pop()),
                Component::CurDir => {}
                component => target.push(component),
            }
            goes_up &= !matches!(component, Component::Normal(_));
        }
        Some(target)
    }

    fn other_project(&self, target: &Path, project: &Path) -> Option<PathBuf> {
        let parent = target.parent().filter(|it| !it.ends_with(PACKAGES_OF_OTHERS));
        let Some(parent) = parent.filter(|_| !has_other_authors(target)) else {
            return project_between(target, project);
        };
        let mut others = self.others.borrow_mut();
        let of_parent = others.entry(parent.to_owned());
        of_parent.or_insert_with(|| project_between(target, project)).clone()
    }
}

/// Returns whether a link leads into the root; `None` if the directory that it leads to is searched
/// for packages: neither one inside the root, which is searched by its own path, nor one that holds
/// the root, as a home does.
pub(crate) fn leads_inside(config: &FsConfig, paths: &RealPaths, link: &str) -> Option<bool> {
    let target = paths.target(config, link);
    let Some((root, target)) = paths.target(config, "").zip(target) else { return Some(false) };
    let is_inside = target.starts_with(&root);
    (is_inside || root.starts_with(&target)).then_some(is_inside)
}

/// Returns whether this is a package in the store of prowess, which is offered as what it is: a
/// skill that its user has installed. The lock file, not a link to it, decides about it.
fn is_installed(target: &Path) -> bool {
    let is_digest = |name: &str| name.len() == 64 && name.bytes().all(|it| it.is_ascii_hexdigit());
    target.file_name().and_then(|name| name.to_str()).is_some_and(is_digest)
        && target.parent().is_some_and(|parent| parent.ends_with("prowess/store/packages"))
}

/// Where a link leads.
pub(crate) enum Led {
    /// Nowhere that is searched, which was reported if it is a fault.
    Nowhere,
    /// To a package, which was reported.
    Package,
    /// To a directory in which there may be packages.
    Directory(Dir),
}

/// Processes the links of a tree after the walk.
pub(crate) struct Follower<'f, 'a> {
    pub(crate) config: &'f FsConfig,
    pub(crate) root: &'f Dir,
    pub(crate) prober: &'f mut Prober<'a>,
    pub(crate) paths: &'f RealPaths,
    /// Inode and device of each directory that was reported as a package.
    pub(crate) seen: &'f mut HashSet<(u64, u64)>,
}

impl Follower<'_, '_> {
    /// Reports the package that a link leads to, or the reason why there is none; returns where it
    /// leads.
    pub(crate) fn follow(&mut self, link: &str) -> Led {
        match self.open(link) {
            Ok(directory) => return self.probe(link, directory),
            Err(_) if !self.leads_to_directory(link) => {}
            Err(error) if matches!(error.kind(), ErrorKind::Link | ErrorKind::Escape) => {
                if !self.paths.target(self.config, link).is_some_and(|it| is_installed(&it)) {
                    self.report(link, problem::root_is_symlink);
                }
            }
            Err(error) => self.prober.unreadable(link, &error),
        }
        Led::Nowhere
    }

    fn open(&self, link: &str) -> Result<Dir, Error> {
        let Self { config, root, paths, .. } = self;
        let by_real_path = match config.links {
            Links::WithinRoot => paths.open(config, root, link),
            Links::Follow | Links::Never => None,
        };
        by_real_path.unwrap_or_else(|| open_package_below(config, root, paths, link))
    }

    /// Returns whether the target is a directory. Links to files are irrelevant here.
    fn leads_to_directory(&mut self, link: &str) -> bool {
        let code = match self.config.root.join(link).metadata() {
            Ok(metadata) => return metadata.is_dir(),
            Err(error) if error.kind() == IoErrorKind::NotFound => codes::DANGLING_LINK,
            Err(error) if error.kind() == IoErrorKind::PermissionDenied => return true,
            // The path leads through a file, or the links form a loop.
            Err(error) if error.kind() == IoErrorKind::NotADirectory => codes::DANGLING_LINK,
            Err(error) if prowess_dir::is_loop(&error) => codes::SYMLINK_LOOP,
            // The target may exist: opening it shows the reason.
            Err(_) => return true,
        };
        let path = self.prober.absolute(link);
        self.prober.problem(problem::broken_link(&path, code));
        false
    }

    fn probe(&mut self, link: &str, directory: Dir) -> Led {
        let stat = match directory.stat_unconfined("") {
            Ok(stat) => stat,
            Err(error) => {
                self.prober.unreadable(link, &error);
                return Led::Nowhere;
            }
        };
        // A skill that is found by two paths is one skill.
        if self.seen.contains(&(stat.inode, stat.device)) {
            return Led::Nowhere;
        }
        self.prober.path.clear();
        self.prober.path.push_str(link);
        match self.prober.probe_opened(&directory) {
            Probe::Package => {
                self.seen.insert((stat.inode, stat.device));
                self.prober.linked.push((link.to_owned(), (stat.device, stat.inode)));
                Led::Package
            }
            Probe::Closed => Led::Nowhere,
            Probe::Nothing => match leads_inside(self.config, self.paths, link) {
                None => {
                    self.seen.insert((stat.inode, stat.device));
                    Led::Directory(directory)
                }
                Some(is_inside) => {
                    if !is_inside {
                        self.report(link, problem::link_not_searched);
                    }
                    Led::Nowhere
                }
            },
        }
    }

    pub(crate) fn report(
        &mut self,
        link: &str,
        diagnostic: fn(&str, &str) -> prowess_core::Diagnostic,
    ) {
        let target = self.paths.target(self.config, link).unwrap_or("?".into());
        let path = self.prober.absolute(link);
        self.prober.problem(diagnostic(&path, &target.to_string_lossy()));
    }
}
