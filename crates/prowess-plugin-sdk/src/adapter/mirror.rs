//! The catalog of a call, built from the host's snapshot.

use std::collections::HashMap;
use std::sync::Arc;

use prowess_core::{Catalog, SkillSource};
use prowess_plugin_abi::AbiError;
use prowess_plugin_abi::conversation::{CatalogSnapshot, Question};

use super::conversation::Conversation;
use super::mirror_catalog;
use super::mirror_source::{MirrorSource, SourceFacts};
use super::recent::Recent;

/// A cache of the host's most recent catalogs.
#[derive(Default)]
pub(super) struct Mirrors(Recent<u64, Arc<Mirror>>);

/// A catalog of the host. Its files can only be read within a call.
pub(super) struct Mirror {
    catalog: Catalog,
    sources: Vec<Arc<SourceFacts>>,
}

impl Mirrors {
    /// Returns the catalog of a call. Its files are read by questions of this call.
    pub(super) fn catalog(&self, conversation: &Conversation) -> Result<Arc<Catalog>, AbiError> {
        let number = conversation.catalog;
        let mirror =
            self.0.get_or_insert_with(number, || Mirror::request(conversation).map(Arc::new))?;
        Ok(Arc::new(mirror.open(conversation)))
    }
}

impl Mirror {
    fn request(conversation: &Conversation) -> Result<Self, AbiError> {
        let snapshot: CatalogSnapshot = conversation.ask(&Question::Catalog)?;
        let sources = facts(&snapshot);
        let catalog = mirror_catalog::build(&snapshot, |index| {
            Arc::new(MirrorSource::new(&sources[index], None)) as Arc<dyn SkillSource>
        })?;
        Ok(Self { catalog, sources })
    }

    fn open(&self, conversation: &Conversation) -> Catalog {
        self.catalog.with_sources(|index| {
            Arc::new(MirrorSource::new(&self.sources[index], Some(conversation.clone())))
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
