//! Directories of the machine and the user, provided by the host.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use prowess_dir::{PACKAGES_OF_OTHERS, REPOSITORY, has_other_authors};

use crate::clients::{Home, KNOWN_CLIENTS, KnownClient, MOVED, SHARING_CLIENTS};
use crate::further_place::{MOST, directories_in};
use crate::scan_bounds::FOUND_DEPTH;

/// The user's home, the working directory and the directories that the environment names. The host
/// reads the environment; libraries never do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The user's home.
    pub home: Option<PathBuf>,
    /// The directory in which the program was started.
    pub working_directory: Option<PathBuf>,
    config_home: Option<PathBuf>,
    state_home: Option<PathBuf>,
    cache_home: Option<PathBuf>,
    /// Directories of clients in the home, and where the user has them instead.
    moved: Vec<(&'static str, PathBuf)>,
}

impl Surroundings {
    /// Creates a value with a home and a working directory, and every other directory at its
    /// default in the home.
    pub fn new(home: Option<PathBuf>, working_directory: Option<PathBuf>) -> Self {
        Self { home, working_directory, ..Self::default() }
    }

    /// Returns the directories in which a client looks for skills: that of a project, relative to
    /// it, and that of this user.
    ///
    /// # Errors
    ///
    /// The client is not known; these are.
    pub fn client_skills(
        &self,
        client: &str,
    ) -> Result<(&'static str, Option<PathBuf>), Vec<&'static str>> {
        let known = || SHARING_CLIENTS.iter().chain(KNOWN_CLIENTS).map(|known| known.name);
        let names = || known().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>();
        let known = KnownClient::placed(client).ok_or_else(names)?;
        Ok((known.project, self.skills_of(known)))
    }

    /// Sets the directories of `XDG_CONFIG_HOME`, `XDG_STATE_HOME` and `XDG_CACHE_HOME`, and those
    /// of the variables of clients, such as `CLAUDE_CONFIG_DIR`. Paths that are not absolute are
    /// ignored, as the specification of the first three requires.
    #[must_use]
    pub fn with_environment(mut self, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let directory =
            |name| variable(name).map(PathBuf::from).filter(|directory| directory.is_absolute());
        self.config_home = directory("XDG_CONFIG_HOME");
        self.state_home = directory("XDG_STATE_HOME");
        self.cache_home = directory("XDG_CACHE_HOME");
        let moved = |(name, variable, inside)| Some((name, directory(variable)?.join(inside)));
        self.moved = MOVED.into_iter().filter_map(moved).collect();
        self
    }

    /// Returns the directory of skills of a client in the home.
    pub(crate) fn skills_of(&self, client: &KnownClient) -> Option<PathBuf> {
        match client.home {
            Home::Below(directory) => self.in_home(directory),
            Home::Config(directory) => Some(self.config_home()?.join(directory)),
        }
    }

    /// Returns a path in the home, or in what the user has instead of its first directory.
    pub(crate) fn in_home(&self, below: &str) -> Option<PathBuf> {
        let (first, rest) = below.split_once('/').unwrap_or((below, ""));
        let moved = self.moved.iter().find(|(name, _)| *name == first);
        moved.map(|(_, to)| to.join(rest)).or_else(|| Some(self.home.as_ref()?.join(below)))
    }

    /// Returns the path in the home of which [`Self::in_home`] is this path.
    pub(crate) fn inside_home(&self, path: &Path) -> Option<PathBuf> {
        let inside = |to: &Path| path.strip_prefix(to).ok();
        let moved =
            self.moved.iter().find_map(|(name, to)| Some(Path::new(name).join(inside(to)?)));
        moved.or_else(|| inside(self.home.as_deref()?).map(Path::to_owned))
    }

    /// Returns the configuration directory: `$XDG_CONFIG_HOME` or `~/.config`.
    pub fn config_home(&self) -> Option<PathBuf> {
        self.directory(self.config_home.as_deref(), ".config")
    }

    /// Returns the state directory: `$XDG_STATE_HOME` or `~/.local/state`.
    pub fn state_home(&self) -> Option<PathBuf> {
        self.directory(self.state_home.as_deref(), ".local/state")
    }

    /// Returns the cache directory: `$XDG_CACHE_HOME` or `~/.cache`.
    pub fn cache_home(&self) -> Option<PathBuf> {
        self.directory(self.cache_home.as_deref(), ".cache")
    }

    /// Returns a path of a configuration: a first component `~` is the user's home. Without a home,
    /// the path is returned as it is written.
    pub fn expand(&self, written: &Path) -> PathBuf {
        match (&self.home, written.strip_prefix("~")) {
            (Some(home), Ok(below)) if below.as_os_str().is_empty() => home.clone(),
            (Some(home), Ok(below)) => home.join(below),
            _ => written.to_owned(),
        }
    }

    /// Returns the folder of the project: the root of the working directory's repository, which is
    /// the nearest directory with a `.git` of any kind; outside of a repository, the working
    /// directory. A repository that the home is, as for dotfiles, or is in, is not the project of
    /// what is in the home: trust in it would cover all that the user ever downloads.
    pub fn project(&self) -> Option<&Path> {
        let working = self.working_directory.as_deref()?;
        let found = repository(working);
        if found == working {
            return Some(working);
        }
        let home = self.home.as_ref().map(|home| home.canonicalize().unwrap_or(home.clone()));
        let holds_home =
            home.is_some_and(|home| home.starts_with(found) && working.starts_with(&home));
        Some(if holds_home { working } else { found })
    }

    /// Returns whether a folder holds the home, so that trust in it would cover all that the user
    /// ever downloads.
    pub fn is_too_wide(&self, folder: &Path) -> bool {
        folder.parent().is_none() || self.home.as_deref().is_some_and(|home| is_in(home, folder))
    }

    /// Returns the folder of another project in this one, if a directory is in it: a repository, or
    /// an installed package. Trust in this project does not cover it.
    pub fn project_within(&self, directory: &Path) -> Option<PathBuf> {
        other_project(directory, self.project()?)
    }

    fn directory(&self, named: Option<&Path>, usual: &str) -> Option<PathBuf> {
        let named = named.map(Path::to_owned);
        named.or_else(|| self.home.as_ref().map(|home| home.join(usual)))
    }
}

/// Returns the folder of the innermost project that a directory is in, below a folder.
pub(crate) fn other_project(directory: &Path, folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    let there = directory.ancestors().find(|it| it.exists())?;
    let rest = directory.strip_prefix(there).ok()?.iter();
    // An empty rest would end the path with a slash.
    let real = rest.fold(there.canonicalize().ok()?, |path, name| path.join(name));
    project_between(&real, &folder)
}

/// The same for two paths without links.
pub(crate) fn project_between(real: &Path, folder: &Path) -> Option<PathBuf> {
    if !real.starts_with(folder) {
        return None;
    }
    let mut inside = real.ancestors().take_while(|it| *it != folder);
    let other = inside.find(|it| has_other_authors(it))?;
    if !other.ends_with(PACKAGES_OF_OTHERS) {
        return Some(other.to_owned());
    }
    // One package of all, or those of one author.
    real.strip_prefix(other).ok()?.iter().next().map(|name| other.join(name))
}

/// Returns whether a directory is in a folder, without links.
pub(crate) fn is_in(directory: &Path, folder: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real(directory).starts_with(real(folder))
}

/// Returns the repositories in a directory of skills, which trust in its project does not cover, as
/// deep as it is searched.
pub(crate) fn repositories_below(directory: &Path, skip: &[Box<str>]) -> Vec<PathBuf> {
    let (mut found, mut level) = (Vec::new(), vec![directory.to_owned()]);
    let is_skipped = |path: &PathBuf| skip.iter().any(|name| path.ends_with(&**name));
    for _ in 0..FOUND_DEPTH {
        let inner = level.iter().flat_map(|it| directories_in(it));
        let inner = inner.filter(|it| !is_skipped(it)).take(MOST);
        let (repositories, others): (Vec<_>, Vec<_>) =
            inner.partition(|it| it.join(REPOSITORY).symlink_metadata().is_ok());
        found.extend(repositories);
        level = others;
        level.retain(|it| !prowess_core::SKILL_MD_FILES.iter().any(|file| it.join(file).exists()));
    }
    found
}

pub(crate) fn repository(directory: &Path) -> &Path {
    directory.ancestors().find(|directory| directory.join(".git").exists()).unwrap_or(directory)
}
