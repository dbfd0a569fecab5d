//! The directories of skills that a policy and a machine have.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use prowess_core::{AskedFolder, Diagnostic};

use crate::{
    ClientName, Discovery, PinnedFolder, ProjectSearch, ProjectTrust, Surroundings, problem,
};

/// The layer of what the machine's administrator provides.
pub const ORGANIZATION_LAYER: &str = "organization";
const USER_LAYER: &str = "user";
/// The layer of what came with the project.
pub const PROJECT_LAYER: &str = "project";

/// What all clients call their common directory, by the client guide of agentskills.io.
const SHARED: &str = "agents";

/// A directory of skills in its layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillRoot {
    /// The layer.
    pub layer: Box<str>,
    /// The directory; it need not exist.
    pub directory: PathBuf,
    /// The folder that the directory may not lead out of, which is its project's.
    pub within: Option<PathBuf>,
    /// The folders that the directory's source is bound to, where [`Self::asked`] asks for trust in them.
    pub pinned: Vec<PinnedFolder>,
    /// Whether it is no complaint that the directory does not exist.
    pub may_be_missing: bool,
    /// The folder that the user has to trust before any of its skills is offered, where the policy asks
    /// for that.
    pub asked: Option<AskedFolder>,
}

/// The directories of skills, and what is wrong with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillRoots {
    /// In each layer, what comes first is used first. No directory is here twice.
    pub roots: Vec<SkillRoot>,
    /// What the operator should know.
    pub findings: Vec<Diagnostic>,
}

impl Discovery {
    /// The directories of skills in these surroundings.
    ///
    /// It looks for the repository's root and for which directories are one and the same. Whether they
    /// exist is found out by each scan, so that they may come and go.
    pub fn find(&self, surroundings: &Surroundings) -> SkillRoots {
        let (seen, found) = (HashMap::new(), SkillRoots::default());
        let mut finder = Finder { policy: self, surroundings, seen, found };
        finder.organization();
        finder.configured();
        finder.user();
        finder.project();
        finder.found
    }

    /// The clients' directories, such as `.prowess/skills` or, without the dot, `prowess/skills`.
    fn clients<'p>(&'p self, dot: &'p str) -> impl Iterator<Item = String> + 'p {
        let shared = self.shared.then_some(SHARED);
        let names = std::iter::once(self.client.as_str()).chain(shared);
        names.map(move |name| format!("{dot}{name}/skills"))
    }

    /// The directories of all clients in a home or a project, the client's own first.
    fn all_clients(&self) -> impl Iterator<Item = String> + '_ {
        let others = self.also.iter().map(ClientName::as_str);
        self.clients(".").chain(others.map(|name| format!(".{name}/skills")))
    }
}

struct Finder<'f> {
    policy: &'f Discovery,
    surroundings: &'f Surroundings,
    /// The layer of each directory that was found, by its real path where it has one.
    seen: HashMap<PathBuf, Box<str>>,
    found: SkillRoots,
}

impl Finder<'_> {
    fn organization(&mut self) {
        if let Some(directory) = self.policy.organization.as_deref()
            && directory.is_dir()
        {
            self.configure(ORGANIZATION_LAYER, directory);
        }
    }

    fn configured(&mut self) {
        for (layer, directories) in &self.policy.roots {
            for directory in directories {
                self.configure(layer, directory);
            }
        }
    }

    /// Adds a directory that the operator names.
    fn configure(&mut self, layer: &str, written: &Path) {
        let Some(directory) = self.expand(written) else {
            return self.found.findings.push(problem::root_not_absolute(written));
        };
        if let Some(other) = self.see(layer, &directory) {
            let finding = problem::root_repeated(&directory, &other, layer);
            return self.found.findings.push(finding);
        }
        self.found.roots.push(SkillRoot::new(layer, directory));
    }

    /// A path as the operator wrote it. A relative one would let whoever chooses the working directory
    /// choose what it names.
    fn expand(&self, written: &Path) -> Option<PathBuf> {
        match written.strip_prefix("~") {
            Ok(below) => self.surroundings.home.as_ref().map(|home| home.join(below)),
            Err(_) => written.is_absolute().then(|| written.to_owned()),
        }
    }

    fn user(&mut self) {
        let Some(home) = self.surroundings.home.as_deref().filter(|_| self.policy.user) else {
            return;
        };
        let config_home = self.surroundings.config_home().filter(|_| self.policy.xdg);
        let in_config = config_home
            .iter()
            .flat_map(|config| self.policy.clients("").map(|name| config.join(name)));
        let in_home = self.policy.all_clients().map(|name| home.join(name));
        for directory in in_home.chain(in_config).collect::<Vec<_>>() {
            if self.see(USER_LAYER, &directory).is_none() {
                let root = SkillRoot::new(USER_LAYER, directory);
                self.found.roots.push(SkillRoot { may_be_missing: true, ..root });
            }
        }
    }

    fn project(&mut self) {
        let (Some(project), Some(working_directory)) =
            (self.project_folder(), self.surroundings.working_directory.as_deref())
        else {
            return;
        };
        let is_asked = self.policy.project_trust == ProjectTrust::Require;
        let pinned_project = is_asked.then(|| PinnedFolder::at(&project));
        let folders = working_directory.ancestors().take_while(|above| above.starts_with(&project));
        for folder in folders.map(Path::to_owned).collect::<Vec<_>>() {
            let mut pinned: Vec<_> = pinned_project.iter().cloned().collect();
            if is_asked && folder != project {
                pinned.push(PinnedFolder::at(&folder));
            }
            let asked = pinned.last().map(|pinned| AskedFolder {
                folder: folder.clone(),
                project: project.clone(),
                identity: Some(pinned.identity),
            });
            for name in self.policy.all_clients().collect::<Vec<_>>() {
                let directory = folder.join(name);
                // What is the user's own stays the user's where a home is a project, too.
                if self.see(PROJECT_LAYER, &directory).is_some() {
                    continue;
                }
                let root = SkillRoot::new(PROJECT_LAYER, directory);
                self.found.roots.push(SkillRoot {
                    within: Some(project.clone()),
                    pinned: pinned.clone(),
                    may_be_missing: true,
                    asked: asked.clone(),
                    ..root
                });
            }
        }
    }

    fn project_folder(&self) -> Option<PathBuf> {
        match self.policy.project {
            ProjectSearch::Never => None,
            ProjectSearch::WorkingDirectory => self.surroundings.working_directory.clone(),
            ProjectSearch::Repository => self.surroundings.project().map(Path::to_owned),
        }
    }

    /// Takes note of a directory; gives the layer that it was found in before.
    fn see(&mut self, layer: &str, directory: &Path) -> Option<Box<str>> {
        let real = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
        if let Some(other) = self.seen.get(&real) {
            return Some(other.clone());
        }
        self.seen.insert(real, layer.into());
        None
    }
}

impl SkillRoot {
    /// A directory that is complained about where it is missing.
    fn new(layer: &str, directory: PathBuf) -> Self {
        Self {
            layer: layer.into(),
            directory,
            within: None,
            pinned: Vec::new(),
            may_be_missing: false,
            asked: None,
        }
    }
}
