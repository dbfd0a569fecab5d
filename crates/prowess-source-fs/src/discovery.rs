//! Where skills are looked for when nobody names a folder, as data.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use prowess_core::Trust;
use serde::{Deserialize, Serialize};

use crate::roots::SkillRoot;
use crate::surroundings::repository;
use crate::{FsConfig, Links, SharedFiles};

/// Which directories of a machine hold skills, and which of them are the project's and so asked about.
///
/// By default it is what the client guide of agentskills.io asks for: in the project and in the home,
/// the directory that all clients share and the client's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Discovery {
    /// The client whose own directories are searched: `.NAME/skills`. By default `prowess`.
    pub client: ClientName,
    /// Whether the directories that all clients share, `agents/skills` and `.agents/skills`, are searched
    /// wherever the client's own are. By default they are.
    pub shared: bool,
    /// Other clients whose directories are searched too, in the home and in the project, such as
    /// `claude` and `cursor`. By default none.
    pub also: Vec<ClientName>,
    /// Whether the home is searched, in the layer `user`. By default it is.
    pub user: bool,
    /// Whether `agents/skills` and `NAME/skills` in the directory for configuration
    /// (`$XDG_CONFIG_HOME`, otherwise `~/.config`) belong to the user's. By default they do.
    pub xdg: bool,
    /// Which of the working directory and those above it are searched, in the layer `project`. By
    /// default up to the root of the repository.
    pub project: ProjectSearch,
    /// What the project's skills need to be offered. By default the user's trust in its folder.
    pub project_trust: ProjectTrust,
    /// What the machine's administrator provides for everybody, in the layer `organization`, above all
    /// others. By default `/etc/prowess/skills`; a machine without it has no such layer.
    pub organization: Option<PathBuf>,
    /// Whether what a `.gitignore` leaves out is not searched, from the root of each directory's repository
    /// inwards. By default everything is searched.
    pub gitignore: bool,
    /// Which links to packages are followed, in every layer. By default each in layers that are trusted, and
    /// in the others those that stay inside the directory of skills or inside the project.
    pub links: Option<Links>,
    /// Whether files with more than one name (hard links) are read, in every layer. By default in
    /// layers that are trusted.
    pub hard_links: Option<SharedFiles>,
    /// Whether what is mounted inside a directory of skills is read, in every layer. By default in
    /// layers that are trusted.
    pub mounts: Option<SharedFiles>,
    /// How far each directory is searched.
    pub bounds: ScanBounds,
    /// More directories by layer, each absolute or beginning with `~/`. By default none.
    pub roots: BTreeMap<Box<str>, Vec<PathBuf>>,
}

/// Which directories are a project's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProjectSearch {
    /// None.
    Never,
    /// The working directory.
    WorkingDirectory,
    /// The working directory and those above it up to the root of its repository; outside of a
    /// repository, the working directory alone.
    #[default]
    Repository,
}

/// What a project's skills need to be offered to a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProjectTrust {
    /// The user's trust in the folder. Without it the skills are known and none is offered.
    #[default]
    Require,
    /// Nothing: they are offered, with the trust that their layer has.
    Label,
    /// Nothing, and their layer is trusted: for a sandbox that exists for this one project.
    Trusted,
}

/// How deep a directory is searched that was found. Skills lie one or two levels below it.
const FOUND_DEPTH: usize = 6;

/// How deep a tree is searched that somebody names, which may be a checkout of repositories: of 10,281
/// packages of real ones, the deepest lies at 9.
pub(crate) const NAMED_DEPTH: usize = 16;

/// Where the search of a directory ends. A bound that bites is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScanBounds {
    /// How many directories below it a package may lie. By default 16 in a tree that is named, and 6 in a
    /// directory that was found.
    pub max_depth: Option<usize>,
    /// How many directories without a package are searched. By default 20,000.
    pub max_directories: usize,
    /// How many names are looked at. By default 500,000.
    pub max_entries: usize,
    /// How many skills are reported. By default 200,000.
    pub max_skills: usize,
    /// How many seconds a scan may take. By default 60.
    pub max_seconds: u64,
}

impl Default for ScanBounds {
    fn default() -> Self {
        Self {
            max_depth: None,
            max_directories: 20_000,
            max_entries: 500_000,
            max_skills: 200_000,
            max_seconds: 60,
        }
    }
}

impl Discovery {
    /// A tree to be searched within these bounds, and by its `.gitignore` files where they count.
    pub fn config(&self, root: impl Into<PathBuf>) -> FsConfig {
        let root = root.into();
        let ScanBounds { max_depth, max_directories, max_entries, max_skills, max_seconds } =
            self.bounds;
        FsConfig {
            max_depth: max_depth.unwrap_or(FOUND_DEPTH),
            max_directories,
            max_entries,
            max_skills,
            max_time: Duration::from_secs(max_seconds),
            gitignore: self.gitignore.then(|| repository(&root).to_owned()),
            ..FsConfig::new(root)
        }
    }
}

impl Discovery {
    /// Returns the configuration of a directory that the operator names for a layer with this trust;
    /// `None` for a layer that is not known, which is untrusted.
    pub fn named_config(&self, root: impl Into<PathBuf>, trust: Option<Trust>) -> FsConfig {
        let shared = match trust {
            Some(Trust::Trusted) => SharedFiles::Allow,
            Some(Trust::AskFirst | Trust::Untrusted) | None => SharedFiles::Refuse,
        };
        FsConfig {
            links: self.links_by(trust),
            hard_links: self.hard_links.unwrap_or(shared),
            mounts: self.mounts.unwrap_or(shared),
            max_depth: self.bounds.max_depth.unwrap_or(NAMED_DEPTH),
            ..self.config(root)
        }
    }

    /// Returns the configuration of a directory that was found, in a layer with this trust.
    pub fn found_config(&self, root: &SkillRoot, trust: Option<Trust>) -> FsConfig {
        FsConfig {
            within: root.within.clone(),
            pinned: root.pinned.clone(),
            may_be_missing: root.may_be_missing,
            max_depth: self.bounds.max_depth.unwrap_or(FOUND_DEPTH),
            ..self.named_config(&root.directory, trust)
        }
    }

    /// By default, what a user trusts may link to elsewhere, as one does to share skills between clients.
    /// What is not trusted may not lead out of its root or, once its folder is trusted, out of its
    /// project.
    fn links_by(&self, trust: Option<Trust>) -> Links {
        self.links.unwrap_or(match trust {
            Some(Trust::Trusted) => Links::Follow,
            Some(Trust::AskFirst | Trust::Untrusted) | None => Links::WithinRoot,
        })
    }
}

impl Default for Discovery {
    fn default() -> Self {
        Self {
            client: ClientName::default(),
            shared: true,
            also: Vec::new(),
            user: true,
            xdg: true,
            project: ProjectSearch::default(),
            project_trust: ProjectTrust::default(),
            organization: Some("/etc/prowess/skills".into()),
            gitignore: false,
            links: None,
            hard_links: None,
            mounts: None,
            bounds: ScanBounds::default(),
            roots: BTreeMap::new(),
        }
    }
}

/// The name of a client as it stands in its directory: ASCII letters, digits, `-`, `_` and, not at the
/// beginning, `.`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ClientName(Box<str>);

/// The text is no name of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientNameError(Box<str>);

impl ClientName {
    /// A client's name.
    ///
    /// # Errors
    ///
    /// It is empty, begins with a dot, or holds anything but ASCII letters, digits, `-`, `_` and `.`.
    pub fn new(name: &str) -> Result<Self, ClientNameError> {
        let is_good = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        match !name.is_empty() && !name.starts_with('.') && name.bytes().all(is_good) {
            true => Ok(Self(name.into())),
            false => Err(ClientNameError(name.into())),
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// `prowess`.
impl Default for ClientName {
    fn default() -> Self {
        Self("prowess".into())
    }
}

impl TryFrom<String> for ClientName {
    type Error = ClientNameError;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::new(&name)
    }
}

impl From<ClientName> for String {
    fn from(name: ClientName) -> Self {
        name.0.into()
    }
}

impl std::fmt::Display for ClientNameError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = &self.0;
        write!(
            formatter,
            "{name:?} is no name of a client; write letters, digits, `-` and `_`, such as `claude`"
        )
    }
}

impl std::error::Error for ClientNameError {}
