//! Which layers and sources a registry has.

use std::sync::Arc;

use prowess_core::{Diagnostic, Layer, SkillSource};

use crate::Registry;
use crate::policy::RegistryPolicy;
use crate::registry::Registered;

/// Collects the layers and sources of a [`Registry`].
#[derive(Default)]
pub struct RegistryBuilder {
    layers: Vec<Layer>,
    sources: Vec<NewSource>,
    policy: RegistryPolicy,
    findings: Vec<Diagnostic>,
}

/// A source whose layer is still to be found.
struct NewSource {
    layer: Box<str>,
    source: Arc<dyn SkillSource>,
    withheld: Option<Box<str>>,
}

/// Why a registry cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// A source is in a layer that there is not.
    #[error("there is no layer `{layer}`; the layers are {known}")]
    UnknownLayer {
        /// The layer that was named.
        layer: Box<str>,
        /// The layers that there are.
        known: String,
    },
    /// Two layers have one name.
    #[error("there are two layers named `{0}`; give each its own name")]
    DuplicateLayer(Box<str>),
}

impl RegistryBuilder {
    /// Adds a layer above those that were added before.
    #[must_use]
    pub fn layer(mut self, layer: Layer) -> Self {
        self.layers.insert(0, layer);
        self
    }

    /// Adds a source to a layer, after those that the layer has.
    #[must_use]
    pub fn source(mut self, layer: &str, source: Arc<dyn SkillSource>) -> Self {
        self.sources.push(NewSource { layer: layer.into(), source, withheld: None });
        self
    }

    /// Adds a source that is scanned and of which nothing is offered, such as that of a folder that
    /// nobody trusts yet: each of its skills is known and hidden for this reason, and shadows none.
    #[must_use]
    pub fn withheld_source(
        mut self,
        layer: &str,
        source: Arc<dyn SkillSource>,
        reason: &str,
    ) -> Self {
        self.sources.push(NewSource { layer: layer.into(), source, withheld: Some(reason.into()) });
        self
    }

    /// Adds a finding about the configuration, which every catalog tells with its own.
    #[must_use]
    pub fn finding(mut self, finding: Diagnostic) -> Self {
        self.findings.push(finding);
        self
    }

    /// Chooses how records are made.
    #[must_use]
    pub fn policy(mut self, policy: RegistryPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// A registry whose catalog is empty until [`Registry::reload`].
    ///
    /// # Errors
    ///
    /// A layer is named twice, or a source names a layer that there is not.
    pub fn build(self) -> Result<Registry, RegistryError> {
        let name_of = |layer: &Layer| layer.name.clone();
        let names: Vec<_> = self.layers.iter().map(name_of).collect();
        if let Some(twice) = (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
            return Err(RegistryError::DuplicateLayer(names[twice].clone()));
        }
        let register = |new: NewSource| {
            let NewSource { layer, source, withheld } = new;
            let rank = names.iter().position(|name| *name == layer).ok_or_else(|| {
                let known: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
                RegistryError::UnknownLayer { layer, known: known.join(", ") }
            })?;
            Ok(Registered::new(rank, source, withheld))
        };
        let mut sources: Vec<_> =
            self.sources.into_iter().map(register).collect::<Result<_, RegistryError>>()?;
        // A stable sort: inside a layer the order of the calls stands.
        sources.sort_by_key(|source| source.layer);
        Ok(Registry::new(self.layers, sources, self.policy, self.findings))
    }
}
