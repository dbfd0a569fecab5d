//! What a host says of a tree before it is walked.

use std::path::{Path, PathBuf};
use std::time::Duration;

use prowess_core::FolderIdentity;
use prowess_dir::{Dir, Error, ErrorKind, FileTime, Identity, Refusals};
use serde::{Deserialize, Serialize};

use crate::ScanBounds;
use crate::discovery::NAMED_DEPTH;

/// Which tree, how far into it, and what to make of links and of packages inside packages.
///
/// As data, every field but the root may be left out, and `max_time` is `max_time_ms`, a number of
/// milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default = "FsConfig::without_root", deny_unknown_fields)]
pub struct FsConfig {
    /// The directory that packages' paths begin at. A link to a directory will do.
    pub root: PathBuf,
    /// A directory above the root that neither the root nor, under [`Links::WithinRoot`], a package may lead
    /// out of by a link: the folder of a project, which one trusts as a whole. By default none.
    pub within: Option<PathBuf>,
    /// The folders that the tree is bound to, the outermost first: [`Self::within`] and, where that is
    /// another, a folder below it that holds the root. Another directory at one of these paths is
    /// neither scanned nor read. By default none.
    pub pinned: Vec<PinnedFolder>,
    /// Whether it is no complaint that the root does not exist. By default it is one.
    pub may_be_missing: bool,
    /// How many directories below the root a package may lie. By default 16.
    pub max_depth: usize,
    /// How many directories without a package are searched. By default 20,000, enough for a tree of
    /// repositories; the client guide's 2,000 is not.
    pub max_directories: usize,
    /// How many names are looked at in all directories together. By default 500,000:
    /// a hundred thousand skills with their files, and some seconds of work for whoever makes that many
    /// empty directories.
    pub max_entries: usize,
    /// How many skills are reported. By default 200,000.
    pub max_skills: usize,
    /// How long a scan may take before it ends with what it has, by the host's clock. By default a
    /// minute: a file server that answers slowly must not hold up a start for ever.
    #[serde(rename = "max_time_ms", with = "milliseconds")]
    pub max_time: Duration,
    /// How many names in one package are looked at to list its files. By default 20,000.
    pub max_listed: usize,
    /// How many directories may be watched; a tree with more is not watched at all. By default 100,000,
    /// about half of what the kernel of a small machine lets one user have.
    pub max_watched: usize,
    /// Names of directories that no search enters, though a link may lead into one, and of which no package
    /// has a part: what lies in them is neither listed nor read. By default `.git` and `node_modules`. Other hidden
    /// directories are entered: skills live in `.claude` and `.agents`.
    pub skip: Vec<Box<str>>,
    /// The directory whose `.gitignore` is the outermost that counts, such as a repository's root. What
    /// these files leave out is not searched. By default none counts.
    pub gitignore: Option<PathBuf>,
    /// What to do about a symbolic link to a directory. By default [`Links::Follow`].
    pub links: Links,
    /// Whether files with more than one name (hard links) are read. By default they are.
    pub hard_links: SharedFiles,
    /// Whether what is mounted below the root is read. By default it is.
    pub mounts: SharedFiles,
    /// Whether packages may lie inside packages. By default [`Nested::Stop`].
    pub nested: Nested,
}

/// A folder by its path and its identity, so that no other folder at the path is taken for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedFolder {
    /// The folder.
    pub path: PathBuf,
    /// The identity that it had when it was found; that of no folder if there was none.
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

/// What a scan does about a symbolic link to a directory. A link that is not followed is reported.
///
/// However it is reached, a package is found once, by its own path before that of any link. Behind a
/// link, only the directory that it leads to may be a package; those below are not searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Links {
    /// No link is followed.
    Never,
    /// A link is followed whose target lies inside the root, or inside [`FsConfig::within`] where there is
    /// one. This is for trees that come from somebody else.
    WithinRoot,
    /// Every link is followed: whoever may write to the root may name any directory of the machine.
    /// Installers link skills from a common place into each client's directory.
    #[default]
    Follow,
}

/// Whether files inside a root are read that may also belong to something outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SharedFiles {
    /// They are read: package managers link files from a common store.
    #[default]
    Allow,
    /// Each is an error with a code of its own.
    Refuse,
}

/// Whether a walk goes on below a package.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nested {
    /// A directory with a `SKILL.md` ends the walk there: the layout of a directory of skills. The
    /// package's directory is not even listed.
    #[default]
    Stop,
    /// Packages may lie inside packages, as in a tree of repositories. Each package's directory is
    /// listed, which more than doubles the work.
    Descend,
}

impl FsConfig {
    /// The defaults over this root.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let ScanBounds { max_depth: _, max_directories, max_entries, max_skills, max_seconds } =
            ScanBounds::default();
        Self {
            root: root.into(),
            within: None,
            pinned: Vec::new(),
            may_be_missing: false,
            max_depth: NAMED_DEPTH,
            max_directories,
            max_entries,
            max_skills,
            max_time: Duration::from_secs(max_seconds),
            max_listed: 20_000,
            max_watched: 100_000,
            skip: vec![".git".into(), "node_modules".into()],
            gitignore: None,
            links: Links::default(),
            hard_links: SharedFiles::default(),
            mounts: SharedFiles::default(),
            nested: Nested::default(),
        }
    }

    /// What a configuration has that names nothing; an empty root is no directory.
    fn without_root() -> Self {
        Self::new("")
    }

    /// Opens the root, over links as far as [`Self::within`] lets it.
    pub(crate) fn open_root(&self) -> Result<Dir, Error> {
        self.open_root_itself().map(|root| root.refusing(self.refusals()))
    }

    /// The files that are not read in any directory of the tree.
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
        let inside = prowess_dir::Links::FollowInside;
        for pinned in self.pinned.iter().filter(|pinned| pinned.path != fence) {
            let folder = project.open_dir(below(&pinned.path, fence)?, inside)?;
            pinned.check(&folder)?;
            match folder.open_dir(below(&self.root, &pinned.path)?, inside) {
                // A link out of the folder may lead to another part of the project.
                Err(error) if error.kind() == ErrorKind::Escape => {}
                opened => return opened,
            }
        }
        project.open_dir(below(&self.root, fence)?, inside)
    }

    /// Opens a folder of the host's and checks that it is the one that the tree is bound to.
    pub(crate) fn open_folder(&self, path: &Path) -> Result<Dir, Error> {
        let folder = Dir::open(path)?;
        let mut pinned = self.pinned.iter().filter(|pinned| pinned.path == path);
        pinned.try_for_each(|pinned| pinned.check(&folder))?;
        Ok(folder)
    }

    /// Whether what is at a path below the root may be opened by that path in one step.
    pub(crate) fn opens_by_path(&self) -> bool {
        self.pinned.is_empty() && self.refusals() == Refusals::default()
    }

    /// Whether a link may lead to a directory, by its real path.
    pub(crate) fn may_lead_to(&self, target: &Path) -> bool {
        let fence = self.within.as_ref().unwrap_or(&self.root);
        match self.links {
            Links::Never => false,
            Links::WithinRoot => fence.canonicalize().is_ok_and(|fence| target.starts_with(fence)),
            Links::Follow => true,
        }
    }

    /// The directories above the root whose `.gitignore` counts, if any does.
    pub(crate) fn above_with_gitignore(&self) -> Vec<PathBuf> {
        let Some(outermost) = &self.gitignore else { return Vec::new() };
        let above = self.root.ancestors().skip(1);
        above.take_while(|above| above.starts_with(outermost)).map(Path::to_owned).collect()
    }

    pub(crate) fn skips(&self, name: impl AsRef<[u8]>) -> bool {
        self.skip.iter().any(|skipped| skipped.as_bytes() == name.as_ref())
    }
}

/// Returns the path from a folder to a directory in it.
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
