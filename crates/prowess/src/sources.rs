//! The sources that a host adds, and their layers.

#[cfg(feature = "filesystem")]
use std::path::PathBuf;
use std::sync::Arc;

use prowess_core::{Layer, SkillSource};
use prowess_registry::RegistryBuilder;
#[cfg(feature = "filesystem")]
use prowess_source_fs::Nested;

use crate::{Error, RuntimeBuilder};

/// A source that the host adds.
pub(crate) struct AddedSource {
    /// The layer; `None` for a plugin without one.
    pub(crate) layer: Option<Box<str>>,
    /// The name of its only skill, if the host names it.
    pub(crate) skill_name: Option<Box<str>>,
    pub(crate) origin: Origin,
}

/// Where packages come from. A directory becomes a source when the trust of its layer is known.
pub(crate) enum Origin {
    #[cfg(feature = "filesystem")]
    Directory(PathBuf, Nested),
    DefaultSkills,
    Source(Arc<dyn SkillSource>),
}

impl AddedSource {
    pub(crate) fn new(layer: &str, origin: Origin) -> Self {
        Self { layer: Some(layer.into()), skill_name: None, origin }
    }
}

/// The layer with this name or, for a plugin without one, the layer `plugin`, or the lowest.
pub(crate) fn layer_of<'l>(named: Option<&'l str>, layers: &'l [Layer]) -> &'l str {
    let of_plugins = layers.iter().find(|layer| *layer.name == *"plugin").or(layers.first());
    named.or(of_plugins.map(|layer| &*layer.name)).unwrap_or_default()
}

impl RuntimeBuilder {
    /// A registry with every layer, source and finding.
    pub(crate) fn registry(&mut self) -> Result<RegistryBuilder, Error> {
        let mut registry = self.rules();
        #[cfg(feature = "filesystem")]
        let mut directories = self.directories()?;
        #[cfg(feature = "filesystem")]
        if let Some((_, trust)) = &self.machine {
            registry = registry.trust(Arc::clone(trust));
        }
        for layer in &self.layers {
            registry = registry.layer(layer.clone());
        }
        for added in &self.sources {
            let source = match &added.origin {
                #[cfg(feature = "filesystem")]
                Origin::Directory(..) => {
                    directories.named.next().expect("each directory has a source")
                }
                Origin::DefaultSkills => self.built_in.default_skills(&self.clock)?,
                Origin::Source(source) => Arc::clone(source),
            };
            let layer = layer_of(added.layer.as_deref(), &self.layers);
            registry = match &added.skill_name {
                Some(name) => registry.source_named(layer, name.clone(), source),
                None => registry.source(layer, source),
            };
        }
        let registry = self.findings.drain(..).fold(registry, RegistryBuilder::finding);
        #[cfg(feature = "filesystem")]
        let registry = directories.add_found(registry);
        Ok(registry)
    }
}
