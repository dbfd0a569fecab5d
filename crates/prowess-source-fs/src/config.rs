//! The configuration of a source.

use std::path::{Path, PathBuf};
use std::time::Duration;

use prowess_core::FolderIdentity;
use prowess_dir::{Dir, Error, ErrorKind, FileTime, Identity, Refusals, has_other_authors};
use serde::{Deserialize, Serialize};

use crate::scan_bounds::{NAMED_DEPTH, ScanBounds};
use crate::surroundings::{other_project, project_between};

/// The directory in which `prowess-governance` writes the next state of a package: until it is
/// complete, it is no skill, and afterwards it is the old state.
const STAGED: &str = ".prowess-staged";

/// The configuration of a tree: its root, the limits, and the treatment of links and nested
/// packages.
///
/// As data, every field but the root may be left out, and `max_time` and `still` are `max_time_ms`
/// and `still_ms`, numbers of milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default = "FsConfig::without_root", deny_unknown_fields)]
pub struct FsConfig {
    /// The directory that packages' paths are relative to. It may be a link to a directory.
    pub root: PathBuf,
    /// A directory above the root that neither the root nor, under [`Links::WithinRoot`], a package
    /// may lead out of by a link: the folder of a project, which is trusted as a whole, but for
    /// other repositories in it: those without a skill at their top are not entered. By default
    /// none.
    pub within: Option<PathBuf>,
    /// The folders that the tree is bound to, the outermost first: [`Self::within`] and, where that
    /// is another, a folder below it that holds the root. Another directory at one of these paths
    /// is neither scanned nor read, nor a root that has come to be in another repository than the
    /// last of them. By default none.
    pub pinned: Vec<PinnedFolder>,
    /// Whether a missing root is not reported. By default it is.
    pub may_be_missing: bool,
    /// Whether the root holds skills and is none itself, as the directories that clients look in: a
    /// `SKILL.md` in it is a warning, and hides nothing. By default a root may be a skill.
    pub holds_skills: bool,
    /// The maximum depth of a package below the root. By default 16.
    pub max_depth: usize,
    /// The maximum number of directories without a package, to which each package adds 16. By
    /// default 20,000, enough for a tree of repositories; the client guide's 2,000 is not.
    pub max_directories: usize,
    /// The maximum number of names in all directories together. By default 500,000: 75,000 skills
    /// with the files that they usually have, and at most some seconds of work for a tree of empty
    /// directories.
    pub max_entries: usize,
    /// The maximum number of skills. By default 200,000.
    pub max_skills: usize,
    /// The maximum duration of a scan, by the host's clock. By default a minute, so that a slow
    /// file server does not block a start.
    #[serde(rename = "max_time_ms", with = "milliseconds")]
    pub max_time: Duration,
    /// The maximum number of names in one package for listing its files. By default 20,000.
    pub max_listed: usize,
    /// The maximum number of watched directories; a tree with more is not watched at all. By
    /// default 100,000, about half of the kernel's limit per user on a small machine.
    pub max_watched: usize,
    /// The time for which a file has to be unchanged before its content is returned. By default a
    /// tenth of a second: editors that write in pieces pause up to 50 ms between two, and a busy
    /// machine doubles that. A longer one covers writers that pause longer, and is what a read of a
    /// file that has just changed costs; one that keeps changing costs four times as much, and is
    /// an error. Zero returns what is there.
    #[serde(rename = "still_ms", with = "milliseconds")]
    pub still: Duration,
    /// Names of directories that no search enters, not even through a link, and that are not part
    /// of any package: their content is neither listed nor read. By default `.git` and
    /// `node_modules`, and where programs of prowess write a package before it replaces another.
    /// Other hidden directories are entered: skills are in `.claude` and `.agents`.
    pub skip: Vec<Box<str>>,
    /// The directory of the outermost `.gitignore` that applies, such as a repository's root.
    /// Excluded directories are not searched. By default none applies.
    pub gitignore: Option<PathBuf>,
    /// The policy for symbolic links to directories. By default [`Links::Follow`].
    pub links: Links,
    /// Whether files with several hard links are read. By default they are.
    pub hard_links: SharedFiles,
    /// Whether mount points below the root are read. By default they are.
    pub mounts: SharedFiles,
    /// Whether packages may lie inside packages. By default [`Nested::Stop`].
    pub nested: Nested,
    /// Whether a scan keeps what it reads and lists, for a host that looks at every file after one
    /// scan: a text is returned once without another read if its file has not changed, and
    /// listings and a watch start from what the scan listed. It is no part of the data. By default
    /// nothing is kept.
    #[serde(skip)]
    pub keeps: bool,
}

/// A folder, by path and identity, so that another folder at the path is not mistaken for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedFolder {
    /// The folder.
    pub path: PathBuf,
    /// The identity that it had when it was found; the default one if there was none.
    pub identity: FolderIdentity,
}

impl PinnedFolder {
    /// Pins the folder that is at a path now.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let identity = Dir::open(&path).and_then(|folder| folder.identity());
        Self { identity: identity.map(folder_identity).unwrap_or_default(), path }
    }

    /// Checks that a handle has this folder open.
    fn check(&self, folder: &Dir) -> Result<(), Error> {
        let FolderIdentity { device, inode, created } = self.identity;
        let created = created.map(|(seconds, nanoseconds)| FileTime { seconds, nanoseconds });
        folder.require(&Identity { device, inode, created }, &self.path)
    }
}

fn folder_identity(identity: Identity) -> FolderIdentity {
    let Identity { device, inode, created } = identity;
    let created = created.map(|created| (created.seconds, created.nanoseconds));
    FolderIdentity { device, inode, created }
}

/// The policy for symbolic links to directories. A link that is not followed is reported.
///
/// A package is reported once, by its own path rather than that of a link. Behind a link, only its
/// target may be a package; directories below it are not searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Links {
    /// No link is followed.
    Never,
    /// Links whose target is inside the root, or inside [`FsConfig::within`] if set, are followed.
    /// For trees by other authors.
    WithinRoot,
    /// Every link is followed: everyone with write access to the root can include any directory of
    /// the machine. Installers link skills from a common directory into each client's directory.
    #[default]
    Follow,
}

/// Whether files are read that may also belong to something outside of the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SharedFiles {
    /// They are read: package managers link files from a common store.
    #[default]
    Allow,
    /// Each is an error with its own code.
    Refuse,
}

/// Whether a walk continues below a package.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nested {
    /// A directory with a `SKILL.md` ends the walk there: the layout of a directory of skills. The
    /// package's directory is not even listed.
    #[default]
    Stop,
    /// Packages may lie inside packages, as in a tree of repositories. Each package's directory is
    /// listed, which more than doubles the work of a first scan; later ones request its times.
    Descend,
}

impl FsConfig {
    /// Creates the default configuration of this root.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let ScanBounds { max_depth: _, max_directories, max_entries, max_skills, max_seconds } =
            ScanBounds::default();
        Self {
            root: root.into(),
            within: None,
            pinned: Vec::new(),
            may_be_missing: false,
            holds_skills: false,
            max_depth: NAMED_DEPTH,
            max_directories,
            max_entries,
            max_skills,
            max_time: Duration::from_secs(max_seconds),
            max_listed: 20_000,
            max_watched: 100_000,
            still: Duration::from_millis(100),
            skip: [".git", "node_modules", STAGED].map(Into::into).into(),
            gitignore: None,
            links: Links::default(),
            hard_links: SharedFiles::default(),
            mounts: SharedFiles::default(),
            nested: Nested::default(),
            keeps: false,
        }
    }

    /// Creates the default configuration without a root; an empty root is not a directory.
    fn without_root() -> Self {
        Self::new("")
    }

    /// Opens the root. Links are followed as far as [`Self::within`] allows.
    pub(crate) fn open_root(&self) -> Result<Dir, Error> {
        self.open_root_itself().map(|root| root.refusing(self.refusals()))
    }

    /// Returns the files that are refused in the tree.
    pub(crate) fn refusals(&self) -> Refusals {
        Refusals {
            hard_links: self.hard_links == SharedFiles::Refuse,
            mounts: self.mounts == SharedFiles::Refuse,
        }
    }

    fn open_root_itself(&self) -> Result<Dir, Error> {
        let Some(fence) = self.within.as_deref().filter(|fence| self.root.starts_with(fence))
        else {
            return Dir::open(&self.root);
        };
        let project = self.open_folder(fence)?;
        if self.root == fence {
            return Ok(project);
        }
        let (root, is_real) = self.open_in_project(&project, fence)?;
        self.require_asked_project(fence, is_real)?;
        Ok(root)
    }

    /// Returns the root, and whether no link is on the way from the project.
    fn open_in_project(&self, project: &Dir, fence: &Path) -> Result<(Dir, bool), Error> {
        let is_above = |it: &&PinnedFolder| it.path != fence && self.root.starts_with(&it.path);
        for pinned in self.pinned.iter().filter(is_above) {
            let (folder, is_real) = open_inside(project, below(&pinned.path, fence)?)?;
            pinned.check(&folder)?;
            match open_inside(&folder, below(&self.root, &pinned.path)?) {
                // A link out of the folder may lead to another part of the project.
                Err(error) if error.kind() == ErrorKind::Escape => {}
                opened => return opened.map(|(root, is_below)| (root, is_real && is_below)),
            }
        }
        open_inside(project, below(&self.root, fence)?)
    }

    /// Fails if the root is in another project than the one that the user is asked about, as when a
    /// directory above it has become a repository.
    fn require_asked_project(&self, fence: &Path, is_real: bool) -> Result<(), Error> {
        let Some(asked) = self.pinned.last() else { return Ok(()) };
        let project = if is_real { project_between } else { other_project };
        let is_asked = match project(&self.root, fence) {
            Some(other) => PinnedFolder::at(other).identity == asked.identity,
            None => asked.path == fence || !has_other_authors(&asked.path),
        };
        if is_asked { Ok(()) } else { Err(Error::escape(&self.root.to_string_lossy())) }
    }

    pub(crate) fn open_folder(&self, path: &Path) -> Result<Dir, Error> {
        let folder = Dir::open(path)?;
        let mut pinned = self.pinned.iter().filter(|pinned| pinned.path == path);
        pinned.try_for_each(|pinned| pinned.check(&folder))?;
        Ok(folder)
    }

    /// Returns whether a path below the root may be opened in one step.
    pub(crate) fn opens_by_path(&self) -> bool {
        self.pinned.is_empty() && self.refusals() == Refusals::default()
    }

    /// Returns the directories above the root that decide about it: those whose `.gitignore`
    /// applies, and those in its project, which may become repositories.
    #[cfg(feature = "watch")]
    pub(crate) fn above_that_decide(&self) -> Vec<PathBuf> {
        let outermost = [&self.gitignore, &self.within].into_iter().flatten();
        let decides = |above: &&Path| outermost.clone().any(|it| above.starts_with(it));
        self.root.ancestors().skip(1).take_while(decides).map(Path::to_owned).collect()
    }

    pub(crate) fn skips(&self, name: impl AsRef<[u8]>) -> bool {
        self.skip.iter().any(|skipped| skipped.as_bytes() == name.as_ref())
    }
}

/// Opens a directory in a folder, and says whether no link is on the way.
fn open_inside(folder: &Dir, path: &str) -> Result<(Dir, bool), Error> {
    match folder.open_dir(path, prowess_dir::Links::Refuse) {
        Err(error) if error.kind() == ErrorKind::Link => {
            Ok((folder.open_dir(path, prowess_dir::Links::FollowInside)?, false))
        }
        opened => Ok((opened?, true)),
    }
}

fn below<'p>(path: &'p Path, folder: &Path) -> Result<&'p str, Error> {
    let inside = path.strip_prefix(folder).ok().and_then(Path::to_str);
    inside.ok_or_else(|| Error::malformed(&path.to_string_lossy()))
}

/// A time as a number of milliseconds.
mod milliseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        u64::try_from(time.as_millis()).unwrap_or(u64::MAX).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_millis)
    }
}
