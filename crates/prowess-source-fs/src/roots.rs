//! Finds the skill directories of a policy on a machine.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use prowess_core::{AGENT_LAYER, AskedFolder, Diagnostic, Trust};

use crate::clients::{KNOWN_CLIENTS, KnownClient, is_in_use};
use crate::plugins::newest_plugins;
use crate::scan_bounds::FOUND_DEPTH;
use crate::surroundings::{is_in, other_project, repositories_below};
use crate::{
    Discovery, FsConfig, FurtherPlace, PinnedFolder, ProjectSearch, ProjectTrust, Surroundings,
    problem,
};

/// The layer of skills that the machine's administrator provides.
pub const ORGANIZATION_LAYER: &str = "organization";
pub(crate) const USER_LAYER: &str = "user";
/// The layer of skills that come with the project.
pub const PROJECT_LAYER: &str = "project";
/// The layer of the directories that are named for [`PROJECT_LAYER`] and not in the project: others
/// have written them, so each waits for trust.
pub const OTHERS_LAYER: &str = "others";

/// The name of the directory that all clients share, according to the client guide of
/// agentskills.io.
const SHARED: &str = "agents";

/// A directory of skills in its layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillRoot {
    /// The layer.
    pub layer: Box<str>,
    /// The directory; it need not exist.
    pub directory: PathBuf,
    /// The name of the skill that the directory is, if it is given one.
    pub skill_name: Option<Box<str>>,
    /// The folder of the project, which the directory must not lead out of.
    pub within: Option<PathBuf>,
    /// The folders that the directory's source is bound to, where [`Self::asked`] asks for trust in
    /// them.
    pub pinned: Vec<PinnedFolder>,
    /// Whether a missing directory is not reported.
    pub may_be_missing: bool,
    /// Whether the directory is one in which clients look for skills, and no skill itself.
    pub holds_skills: bool,
    /// The folder that the user has to trust before its skills are offered, if the policy requires
    /// that.
    pub asked: Option<AskedFolder>,
}

/// The skill directories, and findings about them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillRoots {
    /// The directories; in each layer, earlier ones take precedence. None is listed twice.
    pub roots: Vec<SkillRoot>,
    /// Findings for the operator.
    pub findings: Vec<Diagnostic>,
}

impl Discovery {
    /// Returns the configuration of a discovered directory, in a layer with this trust.
    pub fn found_config(&self, root: &SkillRoot, trust: Option<Trust>) -> FsConfig {
        FsConfig {
            within: root.within.clone(),
            pinned: root.pinned.clone(),
            may_be_missing: root.may_be_missing,
            holds_skills: root.holds_skills,
            max_depth: self.bounds.max_depth.unwrap_or(FOUND_DEPTH),
            ..self.named_config(&root.directory, trust)
        }
    }

    /// Returns the skill directories in these surroundings.
    ///
    /// Finds the repository's root, the known clients that are in use here, and directories that
    /// are the same. Each scan checks whether the directories exist, so they may appear and
    /// disappear.
    pub fn find(&self, surroundings: &Surroundings) -> SkillRoots {
        self.find_with(surroundings, |directory| repositories_below(directory, &self.skip))
    }

    /// Like [`Self::find`], without the repositories in directories of projects, which takes no
    /// look at any skill, and without what needs trust.
    pub(crate) fn find_outermost(&self, surroundings: &Surroundings) -> Vec<SkillRoot> {
        let places = Self { project_trust: ProjectTrust::Label, ..self.clone() };
        places.find_with(surroundings, |_| Vec::new()).roots
    }

    fn find_with(
        &self,
        surroundings: &Surroundings,
        inner: impl Fn(&Path) -> Vec<PathBuf>,
    ) -> SkillRoots {
        let (seen, found) = (HashMap::new(), SkillRoots::default());
        let at_home = Vec::new();
        let mut finder = Finder { policy: self, surroundings, inner: &inner, seen, at_home, found };
        finder.organization();
        finder.configured();
        finder.user();
        finder.project();
        finder.found
    }

    /// Iterates over the clients' directories, such as `.prowess/skills` or, without the dot,
    /// `prowess/skills`.
    fn clients<'p>(&'p self, dot: &'p str) -> impl Iterator<Item = String> + 'p {
        let shared = self.shared.then_some(SHARED);
        let names = std::iter::once(self.client.as_str()).chain(shared);
        names.map(move |name| format!("{dot}{name}/skills"))
    }

    /// Iterates over the known clients whose directories are searched where they exist.
    pub(crate) fn known(&self) -> impl Iterator<Item = &'static KnownClient> {
        KNOWN_CLIENTS.iter().filter(|known| match &self.only {
            None => true,
            Some(only) => only.iter().any(|name| {
                KnownClient::named(name.as_str()).is_some_and(|named| named.name == known.name)
            }),
        })
    }
}

struct Finder<'f> {
    policy: &'f Discovery,
    surroundings: &'f Surroundings,
    /// Returns the repositories in a directory of a project.
    inner: &'f dyn Fn(&Path) -> Vec<PathBuf>,
    /// The layer of each found directory, by its real path if it has one.
    seen: HashMap<PathBuf, Box<str>>,
    /// The known clients that are in use in the home. The first skills that one has in a project
    /// may come while the program runs.
    at_home: Vec<&'static str>,
    found: SkillRoots,
}

impl Finder<'_> {
    fn organization(&mut self) {
        if let Some(directory) = self.policy.organization.as_deref()
            && self.surroundings.expand(directory).is_dir()
        {
            self.configure(ORGANIZATION_LAYER, directory);
            self.found.roots.iter_mut().for_each(|root| root.holds_skills = true);
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
        let written = self.surroundings.expand(written);
        // The meaning of a relative path would depend on the working directory.
        if !written.is_absolute() {
            return self.found.findings.push(problem::root_not_absolute(&written));
        }
        let waits = [PROJECT_LAYER, OTHERS_LAYER, AGENT_LAYER].contains(&layer);
        let named = named_skill(&written).filter(|_| !waits);
        let (directory, skill_name) = named.unzip();
        let directory = directory.unwrap_or(written);
        let is_of_project =
            |it: &PathBuf| is_in(&directory, it) && !self.surroundings.is_too_wide(it);
        let project = self.project_folder().filter(is_of_project);
        let layer = match project {
            None if *layer == *PROJECT_LAYER => OTHERS_LAYER,
            _ => layer,
        };
        if let Some(other) = self.see(layer, &directory) {
            let finding = problem::root_repeated(&directory, &other, layer);
            return self.found.findings.push(finding);
        }
        if [PROJECT_LAYER, OTHERS_LAYER].contains(&layer) {
            let folder = project.unwrap_or(directory.clone());
            let pinned: Vec<_> = self.pinned(&folder).into_iter().collect();
            let plugins = newest_plugins(&directory);
            if !plugins.is_empty() {
                return self.add_of_project(layer, &folder, &pinned, plugins, false);
            }
            let root = root_of_project(layer, &folder, &pinned, directory.clone());
            self.found.roots.push(SkillRoot { may_be_missing: false, ..root });
            return self.add_of_project(layer, &folder, &pinned, (self.inner)(&directory), false);
        }
        // Agents and the client create theirs with the first skill.
        let client = format!(".{}", self.policy.client.as_str());
        let of_client = self.surroundings.home.as_ref().map(|home| home.join(client));
        let is_of_client = of_client.is_some_and(|it| directory.starts_with(it));
        let may_be_missing = is_of_client || *layer == *AGENT_LAYER;
        let root = SkillRoot::new(layer, directory);
        self.found.roots.push(SkillRoot { may_be_missing, skill_name, ..root });
    }

    fn user(&mut self) {
        let Some(home) = self.surroundings.home.as_deref().filter(|_| self.policy.user) else {
            return;
        };
        let config_home = self.surroundings.config_home().filter(|_| self.policy.xdg);
        let in_config = config_home
            .iter()
            .flat_map(|config| self.policy.clients("").map(|name| config.join(name)));
        let own = self.policy.clients(".").map(|name| home.join(name));
        let of_user = |known: &KnownClient| self.surroundings.skills_of(known);
        let further = self.policy.further_clients();
        let further = further.filter_map(|name| match KnownClient::named(name.as_str()) {
            Some(known) => of_user(known),
            None => Some(home.join(format!(".{}/skills", name.as_str()))),
        });
        let known = self.policy.known().filter_map(|it| Some((it.name, of_user(it)?)));
        let (names, known): (Vec<_>, Vec<_>) =
            known.filter(|(_, skills)| is_in_use(skills)).unzip();
        self.at_home = names;
        for directory in own.chain(in_config).chain(known).chain(further).collect::<Vec<_>>() {
            match self.see(USER_LAYER, &directory) {
                None => {
                    let root = SkillRoot::new(USER_LAYER, directory);
                    let (may_be_missing, holds_skills) = (true, true);
                    self.found.roots.push(SkillRoot { may_be_missing, holds_skills, ..root });
                }
                // The user's own skills would wait for a review.
                Some(other) if *other == *AGENT_LAYER => {
                    let finding = problem::root_repeated(&directory, &other, USER_LAYER);
                    self.found.findings.push(finding);
                }
                Some(_) => {}
            }
        }
    }

    fn project(&mut self) {
        let (Some(project), Some(working_directory)) =
            (self.project_folder(), self.surroundings.working_directory.as_deref())
        else {
            return;
        };
        let pinned_project = self.pinned(&project);
        let folders = working_directory.ancestors().take_while(|above| above.starts_with(&project));
        for folder in folders.map(Path::to_owned).collect::<Vec<_>>() {
            let mut pinned: Vec<_> = pinned_project.iter().cloned().collect();
            if folder != project {
                pinned.extend(self.pinned(&folder));
            }
            self.add_of_project(PROJECT_LAYER, &project, &pinned, self.of_project(&folder), true);
        }
        let pinned: Vec<_> = pinned_project.into_iter().collect();
        let further = self.policy.also.iter().filter_map(|place| match place {
            FurtherPlace::InProject(place) => Some(place.directories(&project)),
            FurtherPlace::Client(_) => None,
        });
        self.add_of_project(PROJECT_LAYER, &project, &pinned, further.flatten().collect(), false);
    }

    /// Returns the folder with its identity, if it is to be asked about.
    fn pinned(&self, folder: &Path) -> Option<PinnedFolder> {
        (self.policy.project_trust == ProjectTrust::Require).then(|| PinnedFolder::at(folder))
    }

    /// Adds directories of a project, which are bound to folders of it, the innermost last, and the
    /// repositories in them, each of which may be a skill.
    fn add_of_project(
        &mut self,
        layer: &str,
        project: &Path,
        pinned: &[PinnedFolder],
        all: Vec<PathBuf>,
        holds_skills: bool,
    ) {
        let inner = self.inner;
        let mut add = |mut all: Vec<PathBuf>, holds_skills| {
            // A directory of the user stays in the user's layer, even if the home is a project.
            all.retain(|directory| self.see(layer, directory).is_none());
            let root = |it: &PathBuf| SkillRoot {
                holds_skills,
                ..root_of_project(layer, project, pinned, it.clone())
            };
            self.found.roots.extend(all.iter().map(root));
            all
        };
        // A directory that a link leads to is looked at once.
        let new = add(all, holds_skills);
        add(new.iter().flat_map(|it| inner(it)).collect(), false);
    }

    /// Returns the directories of all clients in a folder of a project, the client's own first.
    fn of_project(&self, folder: &Path) -> Vec<PathBuf> {
        let further = self.policy.further_clients();
        let further = further.map(|name| match KnownClient::named(name.as_str()) {
            Some(known) => known.project.to_owned(),
            None => format!(".{}/skills", name.as_str()),
        });
        let own = self.policy.clients(".").map(|name| folder.join(name));
        let known = self.policy.known().filter(|known| {
            self.at_home.contains(&known.name) || is_in_use(&folder.join(known.project))
        });
        let known = known.map(|known| folder.join(known.project));
        // A client that is added changes no skill that was found without it.
        own.chain(known).chain(further.map(|name| folder.join(name))).collect()
    }

    fn project_folder(&self) -> Option<PathBuf> {
        match self.policy.project {
            ProjectSearch::Never => None,
            ProjectSearch::WorkingDirectory => self.surroundings.working_directory.clone(),
            ProjectSearch::Repository => self.surroundings.project().map(Path::to_owned),
        }
    }

    /// Records a directory; returns the layer in which it was found before.
    fn see(&mut self, layer: &str, directory: &Path) -> Option<Box<str>> {
        let real = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
        if let Some(other) = self.seen.get(&real) {
            return Some(other.clone());
        }
        self.seen.insert(real, layer.into());
        None
    }
}

/// Returns the parts of `DIR as NAME`, by which an operator names the skill that a directory is. A
/// directory may have such a name itself.
pub fn named_skill(written: &Path) -> Option<(PathBuf, Box<str>)> {
    let (directory, name) = written.to_str()?.rsplit_once(" as ")?;
    let is_name = !name.contains('/') && !name.trim_matches('.').is_empty();
    (is_name && !written.exists()).then(|| (directory.into(), name.into()))
}

/// Returns a directory of a project. One in another project inside needs trust in that.
fn root_of_project(
    layer: &str,
    project: &Path,
    pinned: &[PinnedFolder],
    directory: PathBuf,
) -> SkillRoot {
    let other = pinned.last().and_then(|_| other_project(&directory, project));
    let other = other.map(PinnedFolder::at);
    let asked = other.as_ref().or(pinned.last()).map(|it| AskedFolder {
        folder: it.path.clone(),
        project: if other.is_some() { it.path.clone() } else { project.to_owned() },
        identity: Some(it.identity),
    });
    SkillRoot {
        within: Some(project.to_owned()),
        pinned: pinned.iter().cloned().chain(other).collect(),
        may_be_missing: true,
        asked,
        ..SkillRoot::new(layer, directory)
    }
}

impl SkillRoot {
    /// Creates a directory that is reported if it is missing.
    fn new(layer: &str, directory: PathBuf) -> Self {
        Self {
            layer: layer.into(),
            directory,
            skill_name: None,
            within: None,
            pinned: Vec::new(),
            may_be_missing: false,
            holds_skills: false,
            asked: None,
        }
    }
}
