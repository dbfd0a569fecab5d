//! The directories of skills: those that the host names and those that discovery finds.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess_core::{AGENT_LAYER, Diagnostic, Layer, Severity, SkillSource, Trust};
use prowess_registry::RegistryBuilder;
use prowess_registry::codes::ROOT_SHARED;
use prowess_source_fs::{
    Discovery, FsConfig, ORGANIZATION_LAYER, OTHERS_LAYER, PROJECT_LAYER, ProjectTrust, SkillRoot,
    SkillRoots,
};

use crate::added_source::{NamedDirectory, Origin};
use crate::sources::layer_of;
use crate::{Error, RuntimeBuilder};

/// The sources of directories.
pub(crate) struct Directories {
    /// Those that the host named, in their order.
    pub(crate) named: std::vec::IntoIter<Arc<dyn SkillSource>>,
    found: Vec<(SkillRoot, Arc<dyn SkillSource>)>,
}

impl Directories {
    /// Adds the directories that were found, after those that the host named.
    pub(crate) fn add_found(self, registry: RegistryBuilder) -> RegistryBuilder {
        self.found.into_iter().fold(registry, |registry, (root, source)| {
            match (root.asked, root.skill_name) {
                (Some(asked), _) => registry.source_of_folder(&root.layer, source, asked),
                (None, Some(name)) => registry.single_skill_source(&root.layer, name, source),
                (None, None) => registry.source(&root.layer, source),
            }
        })
    }
}

impl RuntimeBuilder {
    /// Finds the directories of the machine, adds the layers that they need, and creates a source
    /// for each directory.
    pub(crate) fn directories(&mut self) -> Result<Directories, Error> {
        let discovery = &self.policies.discovery;
        let found = self.machine.as_ref().map(|(machine, _)| discovery.find(machine));
        let found = found.unwrap_or_default();
        self.layers = with_discovered(&self.layers, discovery, &found);
        let configs = self.configs(&found);
        if let Some(overlapping) = overlapping(&found, &configs) {
            return Err(Error::Root(Box::new(overlapping)));
        }
        let mut sources = self.built_in.directories(configs, &self.clock)?;
        let of_found = sources.split_off(sources.len().saturating_sub(found.roots.len()));
        self.findings.extend(found.findings);
        let found = found.roots.into_iter().zip(of_found).collect();
        Ok(Directories { named: sources.into_iter(), found })
    }

    /// Returns the configurations of the named directories, then those of the directories found.
    fn configs(&self, found: &SkillRoots) -> Vec<FsConfig> {
        let policy = |layer: &str| &self.policies.of_layer(layer).discovery;
        let mut configs = Vec::with_capacity(self.sources.len() + found.roots.len());
        for added in &self.sources {
            if let Origin::Directory(directory) = &added.origin {
                let layer = layer_of(added.layer.as_deref(), &self.layers);
                let trust = trust_of(layer, &self.layers);
                configs.push(named_config(directory, trust, policy(layer)));
            }
        }
        for root in &found.roots {
            let trust = trust_of(&root.layer, &self.layers);
            configs.push(policy(&root.layer).found_config(root, trust));
        }
        configs.iter_mut().for_each(|config| config.keeps = self.keeps_files);
        configs
    }
}

fn named_config(
    directory: &NamedDirectory,
    trust: Option<Trust>,
    discovery: &Discovery,
) -> FsConfig {
    let NamedDirectory { root, nested, may_be_missing } = directory;
    let config = discovery.named_config(root, trust);
    FsConfig { nested: *nested, may_be_missing: *may_be_missing, ..config }
}

/// Returns the layers with those that discovery needs: one for the organization's skills if there
/// are any, and trust in the project if the policy gives it.
fn with_discovered(layers: &[Layer], discovery: &Discovery, found: &SkillRoots) -> Vec<Layer> {
    let mut layers = layers.to_vec();
    let has_others = found.roots.iter().any(|root| *root.layer == *OTHERS_LAYER);
    if has_others && layers.iter().all(|layer| *layer.name != *OTHERS_LAYER) {
        // Below the user's own, whatever that weighs.
        let user = layers.iter().position(|layer| &*layer.name == "user");
        let weight = user.and_then(|at| layers[at].weight);
        let project = layers.iter().find(|layer| *layer.name == *PROJECT_LAYER);
        let trust = project.map_or(Trust::Untrusted, |layer| layer.trust);
        let others = Layer { weight, ..Layer::new(OTHERS_LAYER, trust) };
        layers.insert(user.unwrap_or_default(), others);
    }
    let is_used = found.roots.iter().any(|root| *root.layer == *ORGANIZATION_LAYER);
    if is_used && layers.iter().all(|layer| *layer.name != *ORGANIZATION_LAYER) {
        // Above the others, whatever they weigh; those without a weight get at most their number.
        let count = u16::try_from(layers.len() + 1).unwrap_or(u16::MAX);
        let heaviest = layers.iter().filter_map(|layer| layer.weight).fold(count, u16::max);
        let organization = Layer::new(ORGANIZATION_LAYER, Trust::Trusted);
        layers.push(organization.weighing(heaviest.saturating_add(1)));
    }
    let has_agents = found.roots.iter().any(|root| *root.layer == *AGENT_LAYER);
    if has_agents && layers.iter().all(|layer| *layer.name != *AGENT_LAYER) {
        layers.insert(0, Layer::new(AGENT_LAYER, Trust::Untrusted).weighing(0));
    }
    if discovery.project_trust == ProjectTrust::Trusted {
        let project = layers.iter_mut().filter(|layer| *layer.name == *PROJECT_LAYER);
        project.for_each(|layer| layer.trust = Trust::Trusted);
    }
    layers
}

/// Reports a directory in which agents write skills and which is in another one, or has one in it:
/// agents would write skills of another layer without a review.
fn overlapping(found: &SkillRoots, configs: &[FsConfig]) -> Option<Diagnostic> {
    let agents = found.roots.iter().filter(|root| *root.layer == *AGENT_LAYER);
    let agents: Vec<_> = agents.map(|root| &root.directory).collect();
    let overlap = |one: &Path, other: &Path| one.starts_with(other) || other.starts_with(one);
    let others = configs.iter().map(|config| &config.root).filter(|it| !agents.contains(it));
    let mut pairs = others.flat_map(|other| agents.iter().map(move |agents| (agents, other)));
    let (agents, other) = pairs.find(|(agents, other)| overlap(&real(agents), &real(other)))?;
    let message = format!(
        "agents write skills in `{}`, and `{}` overlaps with it, so they would write skills of \
         another layer",
        agents.display(),
        other.display()
    );
    let help = "name a directory outside of all others in `discovery.roots.agents`";
    Some(Diagnostic::new(ROOT_SHARED, Severity::Error, message, help))
}

/// Returns a path without links, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let existing = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    let Some((above, real)) = existing else { return path.to_owned() };
    // An empty rest would end the path with a slash.
    path.strip_prefix(above).unwrap_or(path).iter().fold(real, |path, name| path.join(name))
}

/// Returns how far a layer is trusted; `None` if there is no such layer.
fn trust_of(layer: &str, layers: &[Layer]) -> Option<Trust> {
    layers.iter().find(|known| *known.name == *layer).map(|known| known.trust)
}
