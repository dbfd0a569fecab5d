//! Where packages come from: directories that are named, and those that a machine has.

use std::path::PathBuf;
use std::sync::Arc;

use prowess_core::{Layer, SkillSource, Trust};
use prowess_source_fs::{
    Discovery, FsConfig, Links, Nested, ORGANIZATION_LAYER, PROJECT_LAYER, ProjectTrust, SkillRoot,
    SkillRoots,
};

/// Where packages come from, before the layer's trust is known.
pub(crate) enum Place {
    Directory(PathBuf, Nested),
    DefaultSkills,
    Named(Box<str>, Arc<dyn SkillSource>),
    Source(Arc<dyn SkillSource>),
}

/// A directory that was named, in its layer.
pub(crate) fn named_config(
    root: &PathBuf,
    nested: Nested,
    layer: &str,
    layers: &[Layer],
    discovery: &Discovery,
) -> FsConfig {
    let links = discovery.links.unwrap_or_else(|| links(layer, layers));
    FsConfig { links, nested, ..discovery.config(root) }
}

/// A directory that was found.
pub(crate) fn found_config(root: &SkillRoot, layers: &[Layer], discovery: &Discovery) -> FsConfig {
    FsConfig {
        within: root.within.clone(),
        may_be_missing: root.may_be_missing,
        links: discovery.links.unwrap_or_else(|| links(&root.layer, layers)),
        ..discovery.config(&root.directory)
    }
}

/// The layer that is named, or that of plugins: the one of this name, else the lowest.
pub(crate) fn layer_of<'l>(named: Option<&'l str>, layers: &'l [Layer]) -> &'l str {
    let of_plugins = layers.iter().find(|layer| *layer.name == *"plugin").or(layers.first());
    named.or(of_plugins.map(|layer| &*layer.name)).unwrap_or_default()
}

/// The layers with what discovery asks of them: one for the organization's skills where there are any,
/// and trust in the project where the policy gives it.
pub(crate) fn layers(layers: &[Layer], discovery: &Discovery, found: &SkillRoots) -> Vec<Layer> {
    let mut layers = layers.to_vec();
    let has_layer = |name: &str| layers.iter().any(|layer| *layer.name == *name);
    let is_used = found.roots.iter().any(|root| *root.layer == *ORGANIZATION_LAYER);
    if is_used && !has_layer(ORGANIZATION_LAYER) {
        // Above the others, whatever they weigh; those without a weight get at most their number.
        let count = u16::try_from(layers.len() + 1).unwrap_or(u16::MAX);
        let heaviest = layers.iter().filter_map(|layer| layer.weight).fold(count, u16::max);
        let organization = Layer::new(ORGANIZATION_LAYER, Trust::Trusted);
        layers.push(organization.weighing(heaviest.saturating_add(1)));
    }
    if discovery.project_trust == ProjectTrust::Trusted {
        let project = layers.iter_mut().filter(|layer| *layer.name == *PROJECT_LAYER);
        project.for_each(|layer| layer.trust = Trust::Trusted);
    }
    layers
}

/// What a user trusts may link to elsewhere, as one does to share skills between clients; what is not
/// trusted may not lead out of its root or, once its folder is trusted, out of its project.
fn links(layer: &str, layers: &[Layer]) -> Links {
    let trust = layers.iter().find(|known| *known.name == *layer).map(|known| known.trust);
    match trust {
        Some(Trust::Trusted) => Links::Follow,
        Some(Trust::Prompt | Trust::Untrusted) | None => Links::WithinRoot,
    }
}
