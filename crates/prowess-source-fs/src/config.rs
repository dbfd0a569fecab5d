//! What a host says of a tree before it is walked.

use std::path::{Path, PathBuf};
use std::time::Duration;

use prowess_dir::{Dir, Error};
use serde::{Deserialize, Serialize};

use crate::ScanBounds;

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
    /// Whether it is no complaint that the root does not exist. By default it is one.
    pub may_be_missing: bool,
    /// How many directories below the root a package may lie. By default 6.
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
    /// Whether packages may lie inside packages. By default [`Nested::Stop`].
    pub nested: Nested,
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
        let ScanBounds { max_depth, max_directories, max_entries, max_skills, max_seconds } =
            ScanBounds::default();
        Self {
            root: root.into(),
            within: None,
            may_be_missing: false,
            max_depth,
            max_directories,
            max_entries,
            max_skills,
            max_time: Duration::from_secs(max_seconds),
            max_listed: 20_000,
            max_watched: 100_000,
            skip: vec![".git".into(), "node_modules".into()],
            gitignore: None,
            links: Links::default(),
            nested: Nested::default(),
        }
    }

    /// What a configuration has that names nothing; an empty root is no directory.
    fn without_root() -> Self {
        Self::new("")
    }

    /// Opens the root, over links as far as [`Self::within`] lets it.
    pub(crate) fn open_root(&self) -> Result<Dir, Error> {
        let inside = self
            .within
            .as_deref()
            .and_then(|folder| Some((folder, self.root.strip_prefix(folder).ok()?.to_str()?)));
        match inside {
            Some((folder, path)) => {
                Dir::open(folder)?.open_dir(path, prowess_dir::Links::FollowInside)
            }
            None => Dir::open(&self.root),
        }
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
