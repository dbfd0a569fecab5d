//! The sources that a host adds, and their layers.

#[cfg(feature = "filesystem")]
use std::path::PathBuf;
use std::sync::Arc;

use prowess_core::{Catalog, Code, Diagnostic, Layer, SkillSource};
use prowess_registry::{RegistryBuilder, codes};
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
    Directory(NamedDirectory),
    DefaultSkills,
    Source(Arc<dyn SkillSource>),
}

/// A directory that the host names.
#[cfg(feature = "filesystem")]
pub(crate) struct NamedDirectory {
    pub(crate) root: PathBuf,
    pub(crate) nested: Nested,
    pub(crate) may_be_missing: bool,
}

impl AddedSource {
    pub(crate) fn new(layer: &str, origin: Origin) -> Self {
        Self { layer: Some(layer.into()), skill_name: None, origin }
    }

    /// Returns whether the runtime is not built if the root cannot be used: a directory that the host
    /// names, or a source that has to be one skill.
    fn is_required(&self) -> bool {
        #[cfg(feature = "filesystem")]
        if matches!(self.origin, Origin::Directory(_)) {
            return true;
        }
        self.skill_name.is_some()
    }
}

/// The layer with this name or, for a plugin without one, the layer `plugin`, or the lowest.
pub(crate) fn layer_of<'l>(named: Option<&'l str>, layers: &'l [Layer]) -> &'l str {
    let of_plugins = layers.iter().find(|layer| *layer.name == *"plugin").or(layers.first());
    named.or(of_plugins.map(|layer| &*layer.name)).unwrap_or_default()
}

impl RuntimeBuilder {
    /// A registry with every layer, source and finding, and the roots that have to be usable.
    pub(crate) fn registry(&mut self) -> Result<(RegistryBuilder, Vec<String>), Error> {
        let mut registry = self.rules();
        let mut required = Vec::new();
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
            if added.is_required() {
                required.push(source.root().to_owned());
            }
            let layer = layer_of(added.layer.as_deref(), &self.layers);
            registry = match &added.skill_name {
                Some(name) => registry.source_named(layer, name.clone(), source),
                None => registry.source(layer, source),
            };
        }
        let registry = self.findings.drain(..).fold(registry, RegistryBuilder::finding);
        #[cfg(feature = "filesystem")]
        let registry = directories.add_found(registry);
        Ok((registry, required))
    }
}

/// Returns the first finding that a required root cannot be used at all.
pub(crate) fn unusable_root<'c>(
    catalog: &'c Catalog,
    required: &[String],
) -> Option<&'c Diagnostic> {
    catalog.diagnostics().find(|finding| {
        let is_required = |path: &str| required.iter().any(|root| root == path);
        is_root_failure(&finding.code) && finding.path.as_deref().is_some_and(is_required)
    })
}

/// Returns whether a finding about a root says that it has no usable skill.
fn is_root_failure(code: &Code) -> bool {
    let of_registry = [codes::SOURCE_FAILED, codes::SKILL_MD_MISSING];
    #[cfg(feature = "filesystem")]
    let of_directory = [
        prowess_source_fs::codes::ROOT_MISSING,
        prowess_source_fs::codes::ROOT_NOT_A_DIRECTORY,
        prowess_source_fs::codes::ROOT_OUTSIDE,
        prowess_source_fs::codes::DIRECTORY_UNREADABLE,
    ];
    #[cfg(not(feature = "filesystem"))]
    let of_directory: [Code; 0] = [];
    of_registry.contains(code) || of_directory.contains(code)
}
