//! The catalog of a call, built from what the host shows of it.

use std::collections::HashMap;
use std::sync::Arc;

use prowess_core::{Catalog, SkillSource};
use prowess_plugin_abi::AbiError;
use prowess_plugin_abi::conversation::{CatalogSnapshot, Question};

use super::conversation::Conversation;
use super::mirror_catalog;
use super::mirror_source::{MirrorSource, SourceFacts};
use super::recent::Recent;

/// The newest catalogs of the host.
#[derive(Default)]
pub(super) struct Mirrors(Recent<Arc<Mirror>>);

/// A catalog of the host's, without the way to its files.
pub(super) struct Mirror {
    catalog: Catalog,
    sources: Vec<Arc<SourceFacts>>,
}

impl Mirrors {
    /// Returns the catalog of a call. Its files are read through the call.
    pub(super) fn catalog(&self, conversation: &Conversation) -> Result<Arc<Catalog>, AbiError> {
        let number = conversation.catalog;
        let mirror = self.0.get(number, || Mirror::ask(conversation).map(Arc::new))?;
        Ok(Arc::new(mirror.open(conversation)))
    }
}

impl Mirror {
    fn ask(conversation: &Conversation) -> Result<Self, AbiError> {
        let snapshot: CatalogSnapshot = conversation.ask(&Question::Catalog)?;
        let sources = facts(&snapshot);
        let catalog = mirror_catalog::build(&snapshot, |at| {
            Arc::new(MirrorSource::new(&sources[at], None)) as Arc<dyn SkillSource>
        })?;
        Ok(Self { catalog, sources })
    }

    fn open(&self, conversation: &Conversation) -> Catalog {
        self.catalog.with_sources(|at| {
            Arc::new(MirrorSource::new(&self.sources[at], Some(conversation.clone())))
        })
    }
}

fn facts(snapshot: &CatalogSnapshot) -> Vec<Arc<SourceFacts>> {
    let mut skills = vec![HashMap::new(); snapshot.sources.len()];
    for (position, skill) in snapshot.skills.iter().enumerate() {
        if let Some(packages) = skills.get_mut(skill.source) {
            packages.insert(skill.package.clone(), position);
        }
    }
    let sources = snapshot.sources.iter().zip(skills);
    let facts = sources.map(|(source, skills)| {
        Arc::new(SourceFacts { name: source.name.clone(), root: source.root.clone(), skills })
    });
    facts.collect()
}
