//! The registry of a runtime: every source in its layer, and the roots that must be usable.

use std::sync::Arc;

use prowess_core::{Catalog, Code, Diagnostic, Layer};
use prowess_registry::{RegistryBuilder, codes};

use crate::added_source::Origin;
use crate::{Error, RuntimeBuilder};

/// Returns the named layer. Without a name, as for a plugin, it is the layer `plugin` or the
/// lowest.
pub(crate) fn layer_of<'l>(named: Option<&'l str>, layers: &'l [Layer]) -> &'l str {
    let of_plugins = layers.iter().find(|layer| *layer.name == *"plugin").or(layers.first());
    named.or(of_plugins.map(|layer| &*layer.name)).unwrap_or_default()
}

impl RuntimeBuilder {
    /// Returns a registry with every layer, source and finding, and the roots that must be usable.
    pub(crate) fn registry(&mut self) -> Result<(RegistryBuilder, Vec<String>), Error> {
        let mut registry = self.empty_registry();
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
            registry = match (&added.skill_name, &added.asked) {
                (Some(name), _) => registry.single_skill_source(layer, name.clone(), source),
                (None, Some(asked)) => registry.source_of_folder(layer, source, asked.clone()),
                (None, None) => registry.source(layer, source),
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
        let root = finding.path.as_deref().unwrap_or_default();
        is_root_failure(&finding.code) && required.iter().any(|required| required == root)
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
