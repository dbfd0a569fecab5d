//! An immutable snapshot of everything that is known, with a generation number.

mod builder;
mod ids;
mod lookup;
mod order;
mod revision;

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};
use prowess_format::Diagnostic;

use crate::{
    Caller, Layer, Listing, ReadLimit, Record, RecordSet, ResourcePath, SkillSource, SourceError,
    State,
};

pub use builder::CatalogBuilder;
pub use lookup::Lookup;
pub use revision::RevisedSkill;

use ids::Ids;

/// Hands out the catalog of the moment.
///
/// # Behavior
///
/// - `catalog` never waits for a reload and never gives a part of one.
/// - A catalog that was handed out stays as it is, whatever is reloaded later.
/// - Generations never go back.
pub trait CatalogProvider: Send + Sync {
    /// The newest catalog.
    fn catalog(&self) -> Arc<Catalog>;
}

/// All records of one moment. A turn takes one and keeps to it.
///
/// The sources come along, so that what a turn reads comes from the sources that its catalog was
/// made from, even if they have been replaced since.
pub struct Catalog {
    generation: u64,
    sources: Box<[CatalogSource]>,
    // What follows is shared with the revisions of the catalog.
    layers: Arc<[Layer]>,
    /// Sorted by id.
    visible: Arc<[RecordIndex]>,
    /// Positions in `visible`, by id.
    by_id: Arc<HashTable<u32>>,
    hasher: DefaultHashBuilder,
    /// Sorted by id, then source and package.
    aside: Arc<[Aside]>,
    /// Sorted likewise.
    refused: Arc<[Aside]>,
    /// Ids that are not what the scan says.
    ids: Arc<Ids>,
    /// Visible records that are shown by their name alone, sorted.
    name_only: Arc<[RecordIndex]>,
    /// What records need that is not there, sorted.
    lacks: Arc<[(RecordIndex, Box<str>)]>,
    /// Further names of skills, sorted.
    aliases: Arc<[(Box<str>, Box<str>)]>,
    /// Findings of the registry itself; those of a scan stay with its records.
    diagnostics: Arc<[Diagnostic]>,
}

/// One source of a catalog with the records of its scan.
#[derive(Clone)]
pub struct CatalogSource {
    /// Which of the catalog's layers it belongs to.
    pub layer: usize,
    /// The source itself.
    pub source: Arc<dyn SkillSource>,
    /// What its last good scan found.
    pub records: Arc<RecordSet>,
}

/// Which source and which of its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordIndex {
    source: u32,
    entry: u32,
}

impl RecordIndex {
    /// The record number `entry` of the source number `source`.
    ///
    /// # Panics
    ///
    /// A number is 2^32 or more, which no bounded scan reaches.
    pub fn new(source: usize, entry: usize) -> Self {
        let narrow = |number| u32::try_from(number).expect("a scan is bounded far below 2^32");
        Self { source: narrow(source), entry: narrow(entry) }
    }

    /// The number of the source in the order of precedence.
    pub fn source(self) -> usize {
        self.source as usize
    }

    /// Which of the source's records.
    pub fn entry(self) -> usize {
        self.entry as usize
    }
}

/// A record that a model is not offered.
struct Aside {
    at: RecordIndex,
    state: AsideState,
    callers: Callers,
    reason: Box<str>,
}

/// The states that [`State`] has beside `Visible`, and one that looks like `Hidden`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AsideState {
    Hidden,
    NotReady,
    Shadowed,
    /// As good as absent: not even its id is told.
    OutOfScope,
}

/// Who may load a skill that is not offered, by its id or its qualified id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Callers {
    /// A model, if it is told the id.
    pub model: bool,
    /// A user, by a command of the host's.
    pub user: bool,
}

impl Callers {
    /// Whether `caller` is one of them.
    pub fn has(self, caller: Caller) -> bool {
        match caller {
            Caller::Model => self.model,
            Caller::User => self.user,
        }
    }
}

impl Catalog {
    /// A catalog of nothing, generation 0.
    pub fn empty() -> Self {
        CatalogBuilder::new(Vec::new(), Vec::new()).finish(0)
    }

    /// Grows by one with each change.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The layers, the highest first.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The sources in the order of precedence.
    pub fn sources(&self) -> &[CatalogSource] {
        &self.sources
    }

    /// How many skills are visible.
    pub fn len(&self) -> usize {
        self.visible.len()
    }

    /// Whether no skill is visible.
    pub fn is_empty(&self) -> bool {
        self.visible.is_empty()
    }

    /// The visible skill with this id.
    pub fn get(&self, id: &str) -> Option<Record<'_>> {
        let position = self.by_id.find(self.hasher.hash_one(id), |&at| {
            let index = self.visible[at as usize];
            self.id(index) == id
        })?;
        Some(Record::new(self, self.visible[*position as usize], State::Visible))
    }

    /// The visible skills, sorted by id.
    pub fn skills(&self) -> impl ExactSizeIterator<Item = Record<'_>> + Clone {
        self.visible.iter().map(|&at| Record::new(self, at, State::Visible))
    }

    /// The visible skill at this place of [`Self::skills`].
    pub fn skill_at(&self, position: usize) -> Option<Record<'_>> {
        self.visible.get(position).map(|&at| Record::new(self, at, State::Visible))
    }

    /// The skills that are known and not offered, sorted by id, each with its reason. This is for who
    /// runs the host: it names skills of other audiences too.
    pub fn aside(&self) -> impl ExactSizeIterator<Item = Record<'_>> + Clone {
        self.aside.iter().map(|aside| self.record_aside(aside))
    }

    /// The skills for each of which a finding of severity `error` stands, sorted by id.
    pub fn refused(&self) -> impl ExactSizeIterator<Item = Record<'_>> + Clone {
        self.refused.iter().map(|refused| self.record_aside(refused))
    }

    /// Further names of skills with the ids that they stand for, sorted.
    pub fn aliases(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.aliases.iter().map(|(alias, id)| (&**alias, &**id))
    }

    /// Every finding: first the registry's, then each scan's. As [`Self::aside`], for who runs the host.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let scans = self.sources.iter().flat_map(|source| source.records.diagnostics());
        self.diagnostics.iter().chain(scans)
    }

    /// Reads a file of a record's package whole.
    ///
    /// # Errors
    ///
    /// What [`SkillSource::read`] says.
    pub fn read(
        &self,
        record: Record<'_>,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        self.source(record.index()).source.read(&record.package(), resource, limit)
    }

    /// Names the files of a record's package.
    ///
    /// # Errors
    ///
    /// What [`SkillSource::list`] says.
    pub fn list(&self, record: Record<'_>, most: usize) -> Result<Listing, SourceError> {
        self.source(record.index()).source.list(&record.package(), most)
    }

    /// What a model types for a record, in this catalog.
    pub(crate) fn id(&self, at: RecordIndex) -> &str {
        self.ids.get(&self.sources, at)
    }

    pub(crate) fn is_name_only(&self, at: RecordIndex) -> bool {
        !self.name_only.is_empty() && self.name_only.binary_search(&at).is_ok()
    }

    pub(crate) fn lack(&self, at: RecordIndex) -> Option<&str> {
        let place = self.lacks.binary_search_by_key(&at, |(lacking, _)| *lacking).ok()?;
        Some(&self.lacks[place].1)
    }

    fn record_aside<'c>(&'c self, aside: &'c Aside) -> Record<'c> {
        let state = match aside.state {
            AsideState::Hidden | AsideState::OutOfScope => State::Hidden(&aside.reason),
            AsideState::NotReady => State::NotReady(&aside.reason),
            AsideState::Shadowed => State::Shadowed(&aside.reason),
        };
        Record::new(self, aside.at, state)
    }

    pub(crate) fn source(&self, at: RecordIndex) -> &CatalogSource {
        &self.sources[at.source()]
    }

    pub(crate) fn set(&self, at: RecordIndex) -> &RecordSet {
        &self.source(at).records
    }

    pub(crate) fn layer_of(&self, at: RecordIndex) -> &Layer {
        &self.layers[self.source(at).layer]
    }
}

impl std::fmt::Debug for Catalog {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Catalog(generation {}, {} skills)", self.generation, self.len())
    }
}
