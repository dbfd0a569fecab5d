//! The input of a resolution: the rules, the scans and the audience.

use std::sync::Arc;

use prowess_core::{Audience, CatalogSource, Diagnostic, Facts, Layer, Severity};

use crate::agent_skills::Hidden;
use crate::copies::Copies;
use crate::policy::RegistryPolicy;
use crate::visibility::{VisibilityFilter, VisibilityPolicy};

pub(crate) struct ResolveInput<'a> {
    pub(crate) rules: &'a ResolveSettings,
    pub(crate) scans: &'a Scans,
    pub(crate) filter: VisibilityFilter<'a>,
    pub(crate) copies: Copies<'a>,
}

/// The part of the input that no scan changes.
#[derive(Default)]
pub(crate) struct ResolveSettings {
    /// The highest first, each with its weight.
    pub(crate) layers: Vec<Layer>,
    pub(crate) policy: RegistryPolicy,
    /// The policy for records of all layers but these, where it is another one.
    pub(crate) outside: Option<(&'static [&'static str], RegistryPolicy)>,
    pub(crate) visibility: VisibilityPolicy,
    pub(crate) aliases: Arc<[(Box<str>, Box<str>)]>,
    /// The host's name for the only package of a source, by the index of the source.
    pub(crate) names: Vec<Option<Box<str>>>,
    pub(crate) facts: Option<Arc<dyn Facts>>,
    /// The audience of the catalog that every reader gets.
    pub(crate) audience: Audience,
}

impl ResolveSettings {
    /// Returns the policy for records of a layer.
    pub(crate) fn policy_of(&self, layer: &Layer) -> RegistryPolicy {
        let outside = self.outside.filter(|(layers, _)| !layers.contains(&&*layer.name));
        outside.map_or(self.policy, |(_, policy)| policy)
    }
}

pub(crate) struct Scans {
    pub(crate) sources: Vec<CatalogSource>,
    /// The reason why none of a source's skills is offered, by the index of the source.
    pub(crate) withheld: Vec<Option<Box<str>>>,
    /// The skills of agents that are not offered, by the index of the source.
    pub(crate) hidden: Vec<Hidden>,
    pub(crate) findings: Vec<Diagnostic>,
    pub(crate) generation: u64,
}

impl Scans {
    /// Returns whether there is an error about anything in a source, or a warning about its root.
    pub(crate) fn has_error(&self, source: usize) -> bool {
        let CatalogSource { source, records, .. } = &self.sources[source];
        let is_of_root = |found: &&Diagnostic| found.path.as_deref() == Some(source.root());
        let of_source = self.findings.iter().filter(is_of_root);
        of_source.chain(records.diagnostics()).any(|found| {
            found.is_error() || (found.severity == Severity::Warning && is_of_root(&found))
        })
    }
}
