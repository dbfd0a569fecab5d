//! An immutable snapshot of all records, with a generation number.

mod builder;
mod ids;
mod lookup;
mod public;
mod record;
mod required;
mod revision;
mod spelling;

use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::{DefaultHashBuilder, HashTable};
use prowess_format::{Diagnostic, Rules};

use crate::{
    Availability, Callers, Cancel, Digest, Layer, Listing, PackageDigest, ReadLimit, RecordSet,
    ResourcePath, SkillSource, SourceError,
};

pub use builder::CatalogBuilder;
pub use lookup::Lookup;
pub use record::Record;
pub use required::{RequiredSkill, RequirementWalk, UnmetRequirement};
pub use revision::RevisedSkill;

use ids::Ids;

/// Provides the current catalog.
///
/// # Behavior
///
/// - `catalog` never waits for a reload and never returns a partial one.
/// - A returned catalog never changes, whatever is reloaded later.
/// - Generations never decrease.
pub trait CatalogProvider: Send + Sync {
    /// Returns the newest catalog.
    fn catalog(&self) -> Arc<Catalog>;
}

/// An immutable snapshot of all records. A turn takes one and uses it to its end.
///
/// The snapshot holds its sources too, so that a turn reads from the sources that its catalog was
/// built from, even if they were replaced since.
pub struct Catalog {
    serial: u64,
    generation: u64,
    sources: Box<[CatalogSource]>,
    /// The resolved ids, which a revision shares with the catalog that it revises.
    resolved: Arc<Resolved>,
}

/// The records that are offered, each with its id, and those that are not.
#[derive(Default)]
struct Resolved {
    layers: Box<[Layer]>,
    /// The rules for parsing a `SKILL.md` of each layer.
    rules: Box<[Rules]>,
    /// Sorted by id.
    visible: Box<[RecordIndex]>,
    /// The number of visible records of each source.
    counts: Box<[usize]>,
    /// Positions in `visible`, by id.
    by_id: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// Sorted by id, then source and package.
    excluded: Box<[Excluded]>,
    /// Sorted by id, then source and package.
    rejected: Box<[Excluded]>,
    /// The ids that differ from those of the scan.
    ids: Ids,
    /// Visible records that are shown by their name alone, sorted.
    name_only: Box<[RecordIndex]>,
    /// The missing requirements of records, sorted.
    missing: Box<[(RecordIndex, Box<str>)]>,
    /// The aliases and the ids that they refer to, sorted.
    aliases: Arc<[(Box<str>, Box<str>)]>,
    /// Findings of the registry itself; those of a scan stay with its records.
    diagnostics: Box<[Diagnostic]>,
}

/// One source of a catalog with the records of its scan.
#[derive(Clone)]
pub struct CatalogSource {
    /// The index of its layer in the catalog.
    pub layer: usize,
    /// The source itself.
    pub source: Arc<dyn SkillSource>,
    /// The records of its last successful scan.
    pub records: Arc<RecordSet>,
}

/// The position of a record in a catalog: the number of its source, and of the record in that
/// source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordIndex {
    source: u32,
    entry: u32,
}

impl RecordIndex {
    /// Creates the index of the record number `entry` of the source number `source`.
    ///
    /// # Panics
    ///
    /// Panics if a number is 2^32 or more, which is far above the limits of a scan.
    pub fn new(source: usize, entry: usize) -> Self {
        let narrow =
            |number| u32::try_from(number).expect("the limits of a scan are far below 2^32");
        Self { source: narrow(source), entry: narrow(entry) }
    }

    /// Returns the number of the source in the order of precedence.
    pub fn source(self) -> usize {
        self.source as usize
    }

    /// Returns the number of the record in its source.
    pub fn entry(self) -> usize {
        self.entry as usize
    }
}

/// A record that is not offered to a model.
struct Excluded {
    index: RecordIndex,
    availability: Availability,
    callers: Callers,
    reason: Box<str>,
}

impl Catalog {
    /// Creates a catalog without skills, of generation 0.
    pub fn empty() -> Self {
        CatalogBuilder::new(Vec::new(), Vec::new()).finish(0)
    }

    /// Returns the number of this catalog, which is unique in this process: views of one generation
    /// for two audiences have different numbers.
    pub fn serial(&self) -> u64 {
        self.serial
    }

    /// Returns the generation, which grows by one with each change.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the layers, the highest first.
    pub fn layers(&self) -> &[Layer] {
        &self.resolved.layers
    }

    /// Returns the sources in the order of precedence.
    pub fn sources(&self) -> &[CatalogSource] {
        &self.sources
    }

    /// Returns the number of visible skills.
    pub fn len(&self) -> usize {
        self.resolved.visible.len()
    }

    /// Returns whether no skill is visible.
    pub fn is_empty(&self) -> bool {
        self.resolved.visible.is_empty()
    }

    /// Returns the visible skill with this id.
    pub fn get(&self, id: &str) -> Option<Record<'_>> {
        let position =
            self.resolved.by_id.find(self.resolved.hasher.hash_one(id), |&position| {
                self.id(self.resolved.visible[position as usize]) == id
            })?;
        Some(Record::new(self, self.resolved.visible[*position as usize]))
    }

    /// Iterates over the visible skills, sorted by id.
    pub fn skills(&self) -> impl ExactSizeIterator<Item = Record<'_>> + Clone {
        self.resolved.visible.iter().map(|&index| Record::new(self, index))
    }

    /// Returns the visible skill at this position of [`Self::skills`].
    pub fn skill_at(&self, position: usize) -> Option<Record<'_>> {
        self.resolved.visible.get(position).map(|&index| Record::new(self, index))
    }

    /// Returns the number of visible skills of the source with this number.
    pub fn len_of(&self, source: usize) -> usize {
        self.resolved.counts.get(source).copied().unwrap_or_default()
    }

    /// Iterates over the skills that are not offered, sorted by id, each with its reason. Meant for
    /// the operator of the host: it includes skills of other audiences.
    pub fn excluded(&self) -> impl ExactSizeIterator<Item = Record<'_>> + Clone {
        self.resolved.excluded.iter().map(|excluded| self.record_of(excluded))
    }

    /// Iterates over the skills with [`Availability::Rejected`], sorted by id. Each has a finding
    /// of severity `error`.
    pub fn rejected(&self) -> impl ExactSizeIterator<Item = Record<'_>> + Clone {
        self.resolved.rejected.iter().map(|rejected| self.record_of(rejected))
    }

    /// Iterates over the aliases and the ids that they refer to, sorted.
    pub fn aliases(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.resolved.aliases.iter().map(|(alias, id)| (&**alias, &**id))
    }

    /// Iterates over all findings: first the registry's, then each scan's. Like [`Self::excluded`],
    /// this is meant for the operator of the host.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let scans = self.sources.iter().flat_map(|source| source.records.diagnostics());
        self.resolved.diagnostics.iter().chain(scans)
    }

    /// Reads a whole file of a record's package.
    ///
    /// # Errors
    ///
    /// As for [`SkillSource::read`].
    pub fn read(
        &self,
        record: Record<'_>,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        self.source(record.index()).source.read(&record.package(), resource, limit)
    }

    /// Lists the files of a record's package.
    ///
    /// # Errors
    ///
    /// As for [`SkillSource::list`].
    pub fn list(&self, record: Record<'_>, most: usize) -> Result<Listing, SourceError> {
        self.source(record.index()).source.list(&record.package(), most)
    }

    /// Returns the digest of all files of a record's package.
    ///
    /// # Errors
    ///
    /// As for [`SkillSource::package_digest`].
    pub fn package_digest(
        &self,
        record: Record<'_>,
        cancel: &Cancel,
    ) -> Result<Digest, SourceError> {
        self.source(record.index()).source.package_digest(&record.package(), cancel)
    }

    /// Returns the digests of all files of a record's package.
    ///
    /// # Errors
    ///
    /// As for [`SkillSource::package_contents`].
    pub fn package_contents(
        &self,
        record: Record<'_>,
        cancel: &Cancel,
    ) -> Result<PackageDigest, SourceError> {
        self.source(record.index()).source.package_contents(&record.package(), cancel)
    }

    /// Returns a catalog with the same skills whose files are read from other sources. `source`
    /// returns the new source for each position. The cost is proportional to the number of sources.
    #[must_use]
    pub fn with_sources(&self, source: impl Fn(usize) -> Arc<dyn SkillSource>) -> Self {
        let sources = self.sources.iter().enumerate();
        let sources =
            sources.map(|(at, known)| CatalogSource { source: source(at), ..known.clone() });
        Self::with(self.generation, sources.collect(), Arc::clone(&self.resolved))
    }

    fn with(generation: u64, sources: Box<[CatalogSource]>, resolved: Arc<Resolved>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self { serial: NEXT.fetch_add(1, Ordering::Relaxed), generation, sources, resolved }
    }

    /// Returns the id of a record in this catalog, as a model writes it.
    pub(crate) fn id(&self, index: RecordIndex) -> &str {
        self.resolved.ids.get(&self.sources, index)
    }

    pub(crate) fn is_name_only(&self, index: RecordIndex) -> bool {
        !self.resolved.name_only.is_empty() && self.resolved.name_only.binary_search(&index).is_ok()
    }

    pub(crate) fn missing_requirement(&self, index: RecordIndex) -> Option<&str> {
        let missing = &self.resolved.missing;
        let position = missing.binary_search_by_key(&index, |(record, _)| *record).ok()?;
        Some(&missing[position].1)
    }

    fn record_of<'c>(&'c self, excluded: &'c Excluded) -> Record<'c> {
        Record::excluded(self, excluded.index, excluded.availability, &excluded.reason)
    }

    pub(crate) fn source(&self, index: RecordIndex) -> &CatalogSource {
        &self.sources[index.source()]
    }

    pub(crate) fn set(&self, index: RecordIndex) -> &RecordSet {
        &self.source(index).records
    }

    pub(crate) fn layer_of(&self, index: RecordIndex) -> &Layer {
        &self.resolved.layers[self.source(index).layer]
    }
}

impl std::fmt::Debug for Catalog {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Catalog(generation {}, {} skills)", self.generation, self.len())
    }
}
