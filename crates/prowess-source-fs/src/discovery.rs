//! The discovery policy: the directories that are searched for skills by default.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use prowess_core::Trust;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::clients::{KNOWN_CLIENTS, KnownClient};
use crate::scan_bounds::{FOUND_DEPTH, NAMED_DEPTH, ScanBounds};
use crate::surroundings::repository;
use crate::{ClientName, FsConfig, FurtherPlace, Links, SharedFiles};

/// The policy that decides which directories of a machine are searched for skills, and which of
/// them need trust.
///
/// The defaults follow the client guide of agentskills.io: in the project and in the home, the
/// directory that all clients share and the client's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Discovery {
    /// The client whose own directories are searched: `.NAME/skills`. By default `prowess`.
    pub client: ClientName,
    /// Whether the directories that all clients share, `agents/skills` and `.agents/skills`, are
    /// searched wherever the client's own are. By default they are.
    pub shared: bool,
    /// The other clients whose directories are searched, of those that are known, such as `claude`
    /// and `github`. They are below the shared directories, and are searched where the client's
    /// directory, such as `.claude`, exists at the start. By default, every known one.
    #[serde(deserialize_with = "known_clients")]
    pub only: Option<Vec<ClientName>>,
    /// Further places: names of clients, whose directories are searched in the home and in the
    /// project, and directories of the project, such as `./skills`, which are below all others. By
    /// default none.
    pub also: Vec<FurtherPlace>,
    /// Whether the home is searched, in the layer `user`. By default it is.
    pub user: bool,
    /// Whether `agents/skills` and `NAME/skills` in the directory for configuration
    /// (`$XDG_CONFIG_HOME`, otherwise `~/.config`) belong to the user's. By default they do. No key
    /// of a file: a directory that does not exist costs nothing.
    #[serde(skip)]
    pub xdg: bool,
    /// The directories of the project that are searched, in the layer `project`. By default, from
    /// the working directory up to the root of the repository.
    pub project: ProjectSearch,
    /// The trust that the project's skills need to be offered. By default the user's trust in its
    /// folder.
    pub project_trust: ProjectTrust,
    /// The directory of the machine's administrator, in the layer `organization`, above all others.
    /// By default `/etc/prowess/skills`; a machine without it has no such layer.
    pub organization: Option<PathBuf>,
    /// Whether directories that a `.gitignore` excludes are skipped, from the root of each
    /// directory's repository inwards. By default everything is searched.
    pub gitignore: bool,
    /// Names of further directories that are skipped, as `.git` and `node_modules` always are. By
    /// default none.
    pub skip: Vec<Box<str>>,
    /// The links to packages that are followed, in every layer. By default, all in trusted layers,
    /// and in the others those that stay inside the directory of skills or inside the project.
    pub links: Option<Links>,
    /// Whether files with several hard links are read, in every layer. By default in trusted
    /// layers. No key of a file: the trust of the layer decides.
    #[serde(skip)]
    pub hard_links: Option<SharedFiles>,
    /// Whether mount points inside a directory of skills are read, in every layer. By default in
    /// trusted layers. No key of a file: the trust of the layer decides.
    #[serde(skip)]
    pub mounts: Option<SharedFiles>,
    /// The limits of the search of each directory.
    pub bounds: ScanBounds,
    /// Further directories by layer, each absolute or starting with `~/`; with ` as NAME` behind
    /// it, a directory is one skill of this name, but in layers whose skills wait for trust or a
    /// review. By default none.
    pub roots: BTreeMap<Box<str>, Vec<PathBuf>>,
}

/// The directories of a project that are searched.
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

/// The trust that a project's skills need to be offered to a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProjectTrust {
    /// The user's trust in the folder. Without it the skills are listed and not offered.
    #[default]
    Require,
    /// No trust is needed: the skills are offered, with the trust of their layer.
    Label,
    /// No trust is needed, and their layer is trusted: for a sandbox with this one project.
    Trusted,
}

impl Discovery {
    /// Returns the configuration of a tree with these limits and, if enabled, its `.gitignore`
    /// files.
    pub fn config(&self, root: impl Into<PathBuf>) -> FsConfig {
        let root = root.into();
        let ScanBounds { max_depth, max_directories, max_entries, max_skills, max_seconds } =
            self.bounds;
        let config = FsConfig::new(&root);
        FsConfig {
            skip: [config.skip.as_slice(), &self.skip].concat(),
            max_depth: max_depth.unwrap_or(FOUND_DEPTH),
            max_directories,
            max_entries,
            max_skills,
            max_time: Duration::from_secs(max_seconds),
            gitignore: self.gitignore.then(|| repository(&root).to_owned()),
            ..config
        }
    }

    /// Returns the configuration of a directory that the operator names for a layer with this
    /// trust; `None` for an unknown layer, which is untrusted.
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

    /// Iterates over the further clients whose directories are searched.
    pub(crate) fn further_clients(&self) -> impl Iterator<Item = &ClientName> {
        self.also.iter().filter_map(|place| match place {
            FurtherPlace::Client(name) => Some(name),
            FurtherPlace::InProject(_) => None,
        })
    }

    /// Returns the policy for links. By default, trusted directories may contain links to anywhere,
    /// as users share skills between clients. Others must not lead out of their root or, once its
    /// folder is trusted, out of their project.
    pub(crate) fn links_by(&self, trust: Option<Trust>) -> Links {
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
            only: None,
            also: Vec::new(),
            user: true,
            xdg: true,
            project: ProjectSearch::default(),
            project_trust: ProjectTrust::default(),
            organization: Some("/etc/prowess/skills".into()),
            gitignore: false,
            skip: Vec::new(),
            links: None,
            hard_links: None,
            mounts: None,
            bounds: ScanBounds::default(),
            roots: BTreeMap::new(),
        }
    }
}

/// Reads names of known clients; null stands for all of them.
fn known_clients<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<ClientName>>, D::Error> {
    let names = Option::<Vec<ClientName>>::deserialize(from)?;
    let unknown = |name: &&ClientName| KnownClient::named(name.as_str()).is_none();
    match names.iter().flatten().find(unknown) {
        None => Ok(names),
        Some(name) => {
            let name = name.as_str();
            let known: Vec<_> = KNOWN_CLIENTS.iter().map(|known| known.name).collect();
            let known = known.join(", ");
            let message = format!("no known client is named `{name}`; `only` takes {known}");
            Err(D::Error::custom(message))
        }
    }
}
