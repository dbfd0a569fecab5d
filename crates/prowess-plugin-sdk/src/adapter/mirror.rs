//! The catalog of a call, built from what the host shows of it.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use prowess_core::{Catalog, SkillSource};
use prowess_plugin_abi::AbiError;
use prowess_plugin_abi::conversation::{CatalogSnapshot, Question};

use super::conversation::Conversation;
use super::mirror_catalog;
use super::mirror_source::{MirrorSource, SourceFacts};

/// How many catalogs are kept: conversations with different audiences have different ones.
const MOST_KEPT: usize = 4;

/// The newest catalogs of the host, so that a series of calls asks for each once.
#[derive(Default)]
pub(super) struct Mirrors(Mutex<VecDeque<Arc<Mirror>>>);

/// A catalog of the host's, without the way to its files.
pub(super) struct Mirror {
    number: u64,
    catalog: Catalog,
    sources: Vec<Arc<SourceFacts>>,
}

impl Mirrors {
    /// Returns the catalog of a call. Its files are read through the call.
    pub(super) fn catalog(&self, conversation: &Conversation) -> Result<Arc<Catalog>, AbiError> {
        let mirror = match self.kept(conversation.catalog) {
            Some(mirror) => mirror,
            None => self.keep(Mirror::ask(conversation)?),
        };
        Ok(Arc::new(mirror.open(conversation)))
    }

    fn kept(&self, number: u64) -> Option<Arc<Mirror>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|mirror| mirror.number == number).cloned()
    }

    fn keep(&self, mirror: Mirror) -> Arc<Mirror> {
        let mirror = Arc::new(mirror);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.truncate(MOST_KEPT - 1);
        kept.push_front(Arc::clone(&mirror));
        mirror
    }
}

impl Mirror {
    fn ask(conversation: &Conversation) -> Result<Self, AbiError> {
        let snapshot: CatalogSnapshot = conversation.ask(&Question::Catalog)?;
        let sources = facts(&snapshot);
        let catalog = mirror_catalog::build(&snapshot, |at| {
            Arc::new(MirrorSource::new(&sources[at], None)) as Arc<dyn SkillSource>
        })?;
        Ok(Self { number: conversation.catalog, catalog, sources })
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
