//! Where packages come from: directories that are named, and those that a machine has.

use std::path::PathBuf;
use std::sync::Arc;

use prowess_core::{Clock, Layer, SkillSource, Trust};
use prowess_registry::RegistryBuilder;
use prowess_source_fs::{
    Discovery, FsConfig, FsSource, Links, Nested, ORGANIZATION_LAYER, PROJECT_LAYER, ProjectTrust,
    SkillRoots,
};

/// Where packages come from, before the layer's trust is known.
pub(crate) enum Place {
    Directory(PathBuf, Nested),
    Source(Arc<dyn SkillSource>),
}

impl Place {
    /// The source of this place.
    pub(crate) fn open(
        &self,
        layer: &str,
        layers: &[Layer],
        discovery: &Discovery,
        clock: &Arc<dyn Clock>,
    ) -> Arc<dyn SkillSource> {
        match self {
            Self::Source(source) => Arc::clone(source),
            Self::Directory(root, nested) => {
                let links = links(layer, layers);
                let config = FsConfig { links, nested: *nested, ..discovery.config(root) };
                Arc::new(FsSource::new(config, Arc::clone(clock)))
            }
        }
    }
}

/// The layers with what discovery asks of them: one for the organization's skills where there are any,
/// and trust in the project where the policy gives it.
pub(crate) fn layers(layers: &[Layer], discovery: &Discovery, found: &SkillRoots) -> Vec<Layer> {
    let mut layers = layers.to_vec();
    let has_layer = |name: &str| layers.iter().any(|layer| *layer.name == *name);
    let is_used = found.roots.iter().any(|root| *root.layer == *ORGANIZATION_LAYER);
    if is_used && !has_layer(ORGANIZATION_LAYER) {
        // Above the others, whatever they weigh.
        let heaviest = layers.iter().filter_map(|layer| layer.weight).max();
        let weight = heaviest.map(|weight| weight.saturating_add(1));
        layers.push(Layer { weight, ..Layer::new(ORGANIZATION_LAYER, Trust::Trusted) });
    }
    if discovery.project_trust == ProjectTrust::Trusted {
        let project = layers.iter_mut().filter(|layer| *layer.name == *PROJECT_LAYER);
        project.for_each(|layer| layer.trust = Trust::Trusted);
    }
    layers
}

/// Adds a source for each directory that was found, and what was found wrong.
pub(crate) fn open_roots(
    mut registry: RegistryBuilder,
    found: SkillRoots,
    layers: &[Layer],
    discovery: &Discovery,
    clock: &Arc<dyn Clock>,
) -> RegistryBuilder {
    for root in found.roots {
        let links = links(&root.layer, layers);
        let config = FsConfig {
            within: root.within,
            may_be_missing: root.may_be_missing,
            links,
            ..discovery.config(root.directory)
        };
        let source = Arc::new(FsSource::new(config, Arc::clone(clock)));
        registry = match root.withheld {
            Some(reason) => registry.withheld_source(&root.layer, source, &reason),
            None => registry.source(&root.layer, source),
        };
    }
    found.findings.into_iter().fold(registry, RegistryBuilder::finding)
}

/// What a user trusts may link to elsewhere, as one does to share skills between clients; what is not
/// trusted may not lead out of its root.
fn links(layer: &str, layers: &[Layer]) -> Links {
    let trust = layers.iter().find(|known| *known.name == *layer).map(|known| known.trust);
    match trust {
        Some(Trust::Trusted) => Links::Follow,
        Some(Trust::Prompt | Trust::Untrusted) | None => Links::WithinRoot,
    }
}
