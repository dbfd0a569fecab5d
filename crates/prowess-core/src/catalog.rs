//! An immutable snapshot of everything that is known, with a generation number.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};
use prowess_format::Diagnostic;

use crate::{
    Layer, Listing, ReadLimit, Record, RecordSet, ResourcePath, SkillSource, SourceError, State,
};

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
    layers: Box<[Layer]>,
    sources: Box<[CatalogSource]>,
    /// Sorted by id.
    visible: Box<[RecordIndex]>,
    /// Positions in `visible`, by id.
    by_id: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// Sorted by id, then source and package.
    aside: Box<[Aside]>,
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

    pub(crate) fn entry(self) -> usize {
        self.entry as usize
    }
}

/// A record that a model is not offered.
struct Aside {
    at: RecordIndex,
    state: AsideState,
    reason: Box<str>,
}

/// The states that [`State`] has beside `Visible`.
enum AsideState {
    Hidden,
    NotReady,
    Shadowed,
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
            self.set(index).id(index.entry()) == id
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

    /// The skills that are known and not offered, sorted by id, each with its reason.
    pub fn aside(&self) -> impl ExactSizeIterator<Item = Record<'_>> + Clone {
        self.aside.iter().map(|aside| {
            let state = match aside.state {
                AsideState::Hidden => State::Hidden(&aside.reason),
                AsideState::NotReady => State::NotReady(&aside.reason),
                AsideState::Shadowed => State::Shadowed(&aside.reason),
            };
            Record::new(self, aside.at, state)
        })
    }

    /// Every finding: first the registry's, then each scan's.
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

/// Puts a catalog together. Which of two records wins is the caller's decision: this keeps ids
/// unique.
pub struct CatalogBuilder {
    catalog: Catalog,
    visible: Vec<RecordIndex>,
    aside: Vec<Aside>,
    diagnostics: Vec<Diagnostic>,
}

impl CatalogBuilder {
    /// A catalog of these layers and sources, the highest first, with every record still to be placed.
    ///
    /// # Panics
    ///
    /// A source names a layer that there is not.
    pub fn new(layers: Vec<Layer>, sources: Vec<CatalogSource>) -> Self {
        let is_placed = |source: &CatalogSource| source.layer < layers.len();
        assert!(sources.iter().all(is_placed), "each source belongs to a layer of the catalog");
        let records = sources.iter().map(|source| source.records.len()).sum();
        let catalog = Catalog {
            generation: 0,
            layers: layers.into(),
            sources: sources.into(),
            visible: Box::default(),
            by_id: HashTable::with_capacity(records),
            hasher: DefaultHashBuilder::default(),
            aside: Box::default(),
            diagnostics: Box::default(),
        };
        Self {
            catalog,
            visible: Vec::with_capacity(records),
            aside: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Offers a record to the model, unless one with its id is offered already.
    ///
    /// # Errors
    ///
    /// The record that has the id; the new one is still to be placed. [`Self::supersede`] puts it in
    /// the other's stead.
    pub fn show(&mut self, at: RecordIndex) -> Result<(), RecordIndex> {
        let Self { catalog, visible, .. } = self;
        let Catalog { by_id, hasher, sources, .. } = catalog;
        let id_of = |at: RecordIndex| sources[at.source()].records.id(at.entry());
        let id = id_of(at);
        let hash = hasher.hash_one(id);
        if let Some(&holder) = by_id.find(hash, |&other| id_of(visible[other as usize]) == id) {
            return Err(visible[holder as usize]);
        }
        let position = u32::try_from(visible.len()).expect("a scan is bounded far below 2^32");
        visible.push(at);
        by_id.insert_unique(hash, position, |&other| {
            hasher.hash_one(id_of(visible[other as usize]))
        });
        Ok(())
    }

    /// Offers a record in the stead of `holder`, which has the same id and is then to be placed.
    pub fn supersede(&mut self, holder: RecordIndex, at: RecordIndex) {
        let is_same_id = self.record(holder).id() == self.record(at).id();
        debug_assert!(is_same_id, "only a record with the same id takes the place of another");
        if let Some(place) = self.visible.iter_mut().find(|place| **place == holder) {
            *place = at;
        }
    }

    /// The record that is offered under an id so far.
    pub fn holder(&self, id: &str) -> Option<RecordIndex> {
        let hash = self.catalog.hasher.hash_one(id);
        let is_it = |&at: &u32| self.record(self.visible[at as usize]).id() == id;
        self.catalog.by_id.find(hash, is_it).map(|&at| self.visible[at as usize])
    }

    /// Keeps a record without offering it. A record that is both shown and put aside stays in both.
    pub fn put_aside(&mut self, at: RecordIndex, state: State<'_>) {
        let Some(reason) = state.reason() else { return };
        let state_of = match state {
            State::Visible => return,
            State::Hidden(_) => AsideState::Hidden,
            State::NotReady(_) => AsideState::NotReady,
            State::Shadowed(_) => AsideState::Shadowed,
        };
        self.aside.push(Aside { at, state: state_of, reason: reason.into() });
    }

    /// Adds a finding that is not a scan's own.
    pub fn diagnose(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// A view of a record that is being placed, to word reasons with.
    pub fn record(&self, at: RecordIndex) -> Record<'_> {
        Record::new(&self.catalog, at, State::Visible)
    }

    /// The finished catalog.
    pub fn finish(mut self, generation: u64) -> Catalog {
        let Catalog { sources, hasher, by_id, .. } = &mut self.catalog;
        let id_of = |at: RecordIndex| sources[at.source()].records.id(at.entry());
        self.visible.sort_by_cached_key(|&at| (id_prefix(id_of(at)), id_of(at)));
        by_id.clear();
        for (position, &at) in (0..).zip(&self.visible) {
            by_id.insert_unique(hasher.hash_one(id_of(at)), position, |&other: &u32| {
                hasher.hash_one(id_of(self.visible[other as usize]))
            });
        }
        // Not by the place among the scan's records: those that were read again come first there.
        let key_of = |aside: &Aside| {
            let package = sources[aside.at.source()].records.package(aside.at.entry());
            (id_of(aside.at), aside.at.source(), package)
        };
        self.aside.sort_by(|one, other| key_of(one).cmp(&key_of(other)));
        Catalog {
            generation,
            visible: self.visible.into(),
            aside: self.aside.into(),
            diagnostics: self.diagnostics.into(),
            ..self.catalog
        }
    }
}

/// The first eight bytes of an id as a number: one comparison settles most pairs.
fn id_prefix(id: &str) -> u64 {
    let mut prefix = [0; 8];
    let length = id.len().min(8);
    prefix[..length].copy_from_slice(&id.as_bytes()[..length]);
    u64::from_be_bytes(prefix)
}
