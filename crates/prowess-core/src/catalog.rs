//! An immutable snapshot of everything that is known, with a generation number.

mod builder;
mod ids;
mod lookup;
mod revision;

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};
use prowess_format::Diagnostic;

use crate::{
    Availability, Callers, Layer, Listing, ReadLimit, Record, RecordSet, ResourcePath, SkillSource,
    SourceError,
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
    /// The outcome of resolving ids, which a revision shares with the catalog that it revises.
    resolved: Arc<Resolved>,
}

/// Which records are offered under which ids, and which are not.
#[derive(Default)]
struct Resolved {
    layers: Box<[Layer]>,
    /// Sorted by id.
    visible: Box<[RecordIndex]>,
    /// Positions in `visible`, by id.
    by_id: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// Sorted by id, then source and package.
    excluded: Box<[Excluded]>,
    /// Sorted likewise.
    rejected: Box<[Excluded]>,
    /// Ids that are not what the scan says.
    ids: Ids,
    /// Visible records that are shown by their name alone, sorted.
    name_only: Box<[RecordIndex]>,
    /// The missing requirements of records, sorted.
    missing: Box<[(RecordIndex, Box<str>)]>,
    /// Further names of skills, sorted.
    aliases: Arc<[(Box<str>, Box<str>)]>,
    /// Findings of the registry itself; those of a scan stay with its records.
    diagnostics: Box<[Diagnostic]>,
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
struct Excluded {
    at: RecordIndex,
    availability: Availability,
    callers: Callers,
    reason: Box<str>,
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
        &self.resolved.layers
    }

    /// The sources in the order of precedence.
    pub fn sources(&self) -> &[CatalogSource] {
        &self.sources
    }

    /// How many skills are visible.
    pub fn len(&self) -> usize {
        self.resolved.visible.len()
    }

    /// Whether no skill is visible.
    pub fn is_empty(&self) -> bool {
        self.resolved.visible.is_empty()
    }

    /// The visible skill with this id.
    pub fn get(&self, id: &str) -> Option<Record<'_>> {
        let position = self.resolved.by_id.find(self.resolved.hasher.hash_one(id), |&at| {
            let index = self.resolved.visible[at as usize];
            self.id(index) == id
        })?;
        Some(Record::new(self, self.resolved.visible[*position as usize]))
    }

    /// The visible skills, sorted by id.
    pub fn skills(&self) -> impl ExactSizeIterator<Item = Record<'_>> + Clone {
        self.resolved.visible.iter().map(|&at| Record::new(self, at))
    }

    /// The visible skill at this place of [`Self::skills`].
    pub fn skill_at(&self, position: usize) -> Option<Record<'_>> {
        self.resolved.visible.get(position).map(|&at| Record::new(self, at))
    }

    /// Iterates over the skills that are not offered, sorted by id, each with its reason. This is for the
    /// operator of the host: it names skills of other audiences too.
    pub fn excluded(&self) -> impl ExactSizeIterator<Item = Record<'_>> + Clone {
        self.resolved.excluded.iter().map(|excluded| self.record_of(excluded))
    }

    /// Iterates over the skills with [`Availability::Rejected`], each of which has a finding of severity
    /// `error`, sorted by id.
    pub fn rejected(&self) -> impl ExactSizeIterator<Item = Record<'_>> + Clone {
        self.resolved.rejected.iter().map(|rejected| self.record_of(rejected))
    }

    /// Further names of skills with the ids that they stand for, sorted.
    pub fn aliases(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.resolved.aliases.iter().map(|(alias, id)| (&**alias, &**id))
    }

    /// Every finding: first the registry's, then each scan's. As [`Self::excluded`], this is for the
    /// operator of the host.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let scans = self.sources.iter().flat_map(|source| source.records.diagnostics());
        self.resolved.diagnostics.iter().chain(scans)
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
        self.resolved.ids.get(&self.sources, at)
    }

    pub(crate) fn is_name_only(&self, at: RecordIndex) -> bool {
        !self.resolved.name_only.is_empty() && self.resolved.name_only.binary_search(&at).is_ok()
    }

    pub(crate) fn missing_requirement(&self, at: RecordIndex) -> Option<&str> {
        let missing = &self.resolved.missing;
        let position = missing.binary_search_by_key(&at, |(record, _)| *record).ok()?;
        Some(&missing[position].1)
    }

    fn record_of<'c>(&'c self, excluded: &'c Excluded) -> Record<'c> {
        Record::excluded(self, excluded.at, excluded.availability, &excluded.reason)
    }

    pub(crate) fn source(&self, at: RecordIndex) -> &CatalogSource {
        &self.sources[at.source()]
    }

    pub(crate) fn set(&self, at: RecordIndex) -> &RecordSet {
        &self.source(at).records
    }

    pub(crate) fn layer_of(&self, at: RecordIndex) -> &Layer {
        &self.resolved.layers[self.source(at).layer]
    }
}

impl std::fmt::Debug for Catalog {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Catalog(generation {}, {} skills)", self.generation, self.len())
    }
}
