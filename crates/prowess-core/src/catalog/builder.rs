//! Builds a catalog.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;
use prowess_format::{Diagnostic, Rules};

use super::ids::Ids;
use super::{Catalog, CatalogSource, Excluded, RecordIndex, Resolved};
use crate::{Availability, Callers, Layer, Record};

const UNSHARED: &str = "a catalog that is being built is not shared";

/// Builds a catalog. The caller decides which of two records wins; the builder keeps ids unique.
pub struct CatalogBuilder {
    /// The catalog that record views refer to, before the fields below are moved into it.
    catalog: Catalog,
    visible: Vec<RecordIndex>,
    /// Positions in `visible`, by id.
    by_id: HashTable<u32>,
    /// Records in `visible` that were excluded later.
    withdrawn: HashSet<RecordIndex>,
    name_only: Vec<RecordIndex>,
    missing: Vec<(RecordIndex, Box<str>)>,
    excluded: Vec<Excluded>,
    rejected: Vec<Excluded>,
    diagnostics: Vec<Diagnostic>,
}

impl CatalogBuilder {
    /// Creates a builder with these layers and sources, the highest first, and no record offered or
    /// excluded yet.
    ///
    /// # Panics
    ///
    /// Panics if a source refers to a layer that does not exist.
    pub fn new(layers: Vec<Layer>, sources: Vec<CatalogSource>) -> Self {
        assert!(sources.iter().all(|source| source.layer < layers.len()), "each one has a layer");
        let records = sources.iter().map(|source| source.records.len()).sum();
        let rules = layers.iter().map(|_| Rules::default()).collect();
        let resolved = Arc::new(Resolved { layers: layers.into(), rules, ..Resolved::default() });
        let catalog = Catalog::with(0, sources.into(), resolved);
        Self {
            catalog,
            visible: Vec::with_capacity(records),
            by_id: HashTable::with_capacity(records),
            withdrawn: HashSet::new(),
            name_only: Vec::new(),
            missing: Vec::new(),
            excluded: Vec::new(),
            rejected: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Sets the rules that the records of each layer were made by.
    ///
    /// By default, those of the profile `lenient`.
    pub fn rules(&mut self, of: impl Fn(&Layer) -> Rules) {
        let resolved = self.resolved();
        resolved.rules = resolved.layers.iter().map(of).collect();
    }

    /// Sets an id that the host chose for a record. Call it before the record is offered or
    /// excluded.
    pub fn name(&mut self, index: RecordIndex, id: impl Into<Box<str>>) {
        self.ids().set_own(index, id.into());
    }

    /// Offers a record to the model, unless one with its id is offered already.
    ///
    /// # Errors
    ///
    /// Returns the record that has the id; the new one is not offered. [`Self::supersede`] replaces
    /// the other.
    pub fn show(&mut self, index: RecordIndex) -> Result<(), RecordIndex> {
        let Self { catalog, visible, by_id, .. } = self;
        let Catalog { sources, resolved, .. } = catalog;
        let Resolved { hasher, ids, .. } = &**resolved;
        let id = ids.get(sources, index);
        let hash = hasher.hash_one(id);
        let holder = by_id.find(hash, |&other| ids.get(sources, visible[other as usize]) == id);
        if let Some(&holder) = holder {
            return Err(visible[holder as usize]);
        }
        let position =
            u32::try_from(visible.len()).expect("the limits of a scan are far below 2^32");
        visible.push(index);
        by_id.insert_unique(hash, position, |&other| {
            hasher.hash_one(ids.get(sources, visible[other as usize]))
        });
        Ok(())
    }

    /// Offers a record instead of `holder`, which has the same id. The caller then excludes
    /// `holder`.
    pub fn supersede(&mut self, holder: RecordIndex, index: RecordIndex) {
        let is_same_id = self.id(holder) == self.id(index);
        debug_assert!(is_same_id, "only a record with the same id takes the place of another");
        if let Some(position) = self.position(self.id(holder)) {
            self.visible[position] = index;
        }
    }

    /// Offers a record under a different id, because another record has its own.
    ///
    /// # Errors
    ///
    /// Returns the record that already has that id.
    pub fn show_as(&mut self, index: RecordIndex, id: &str) -> Result<(), RecordIndex> {
        if let Some(holder) = self.holder(id) {
            return Err(holder);
        }
        self.ids().set_distinct(index, id.into());
        self.show(index)
    }

    /// Returns the record that is offered under an id so far.
    pub fn holder(&self, id: &str) -> Option<RecordIndex> {
        self.position(id).map(|index| self.visible[index])
    }

    /// Shows an offered record by its name alone, without its description.
    pub fn show_name_only(&mut self, index: RecordIndex) {
        self.name_only.push(index);
    }

    /// Sets the missing requirement of a record, whether it is offered or not.
    pub fn missing_requirement(&mut self, index: RecordIndex, what: impl Into<Box<str>>) {
        self.missing.push((index, what.into()));
    }

    /// Excludes a record from the offered ones. A shadowed one can still be loaded by its qualified
    /// id.
    pub fn exclude(&mut self, index: RecordIndex, availability: Availability, reason: &str) {
        self.exclude_for(index, availability, reason, availability.callers());
    }

    /// Excludes a record from the offered ones, except for these callers. If it was offered, no
    /// other record gets its id.
    pub fn exclude_for(
        &mut self,
        index: RecordIndex,
        availability: Availability,
        reason: &str,
        callers: Callers,
    ) {
        let excluded = Excluded { index, availability, callers, reason: reason.into() };
        match availability {
            Availability::Offered => return,
            Availability::Rejected => self.rejected.push(excluded),
            _ => self.excluded.push(excluded),
        }
        self.withdrawn.insert(index);
    }

    /// Sets the aliases of ids. An alias that equals an id has no effect.
    pub fn alias(&mut self, aliases: Arc<[(Box<str>, Box<str>)]>) {
        debug_assert!(aliases.is_sorted(), "aliases are looked up by halves");
        self.resolved().aliases = aliases;
    }

    /// Adds a finding that does not come from a scan.
    pub fn diagnose(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Returns a view of a record, for use in the reason of its exclusion.
    pub fn record(&self, index: RecordIndex) -> Record<'_> {
        Record::new(&self.catalog, index)
    }

    /// Builds the catalog.
    pub fn finish(mut self, generation: u64) -> Catalog {
        self.name_only.sort_unstable();
        self.missing.sort_unstable();
        let Catalog { sources, resolved, .. } = &self.catalog;
        let id_of = |index: RecordIndex| resolved.ids.get(sources, index);
        let is_offered = |index: RecordIndex| !self.withdrawn.contains(&index);
        let offered = (0_u32..).zip(&self.visible).filter(|&(_, &index)| is_offered(index));
        // Looking up an id costs more than comparing two, so each is looked up once.
        let mut order: Vec<_> =
            offered.map(|(position, &index)| (id_of(index), position)).collect();
        order.sort_unstable();
        let order: Vec<_> = order.into_iter().map(|(_, position)| position).collect();
        // The hashes stay valid: only the positions of the records have changed.
        let mut positions = vec![0; self.visible.len()];
        for (new, &old) in (0..).zip(&order) {
            positions[old as usize] = new;
        }
        self.by_id.retain(|position| is_offered(self.visible[*position as usize]));
        for position in self.by_id.iter_mut() {
            *position = positions[*position as usize];
        }
        let visible = order.iter().map(|&position| self.visible[position as usize]);
        let visible: Box<[RecordIndex]> = visible.collect();
        let mut counts = vec![0; sources.len()].into_boxed_slice();
        visible.iter().for_each(|index| counts[index.source()] += 1);
        // Not by the position in the scan: records that were read again come first there.
        let key_of = |excluded: &Excluded| {
            let index = excluded.index;
            (id_of(index), index.source(), sources[index.source()].records.package(index.entry()))
        };
        self.excluded.sort_by(|one, other| key_of(one).cmp(&key_of(other)));
        self.rejected.sort_by(|one, other| key_of(one).cmp(&key_of(other)));
        let Catalog { sources, resolved, .. } = self.catalog;
        let resolved = Arc::into_inner(resolved).expect(UNSHARED);
        let resolved = Resolved {
            visible,
            counts,
            by_id: self.by_id,
            excluded: self.excluded.into(),
            rejected: self.rejected.into(),
            name_only: self.name_only.into(),
            missing: self.missing.into(),
            diagnostics: self.diagnostics.into(),
            ..resolved
        };
        Catalog::with(generation, sources, Arc::new(resolved))
    }

    fn id(&self, index: RecordIndex) -> &str {
        self.catalog.id(index)
    }

    fn ids(&mut self) -> &mut Ids {
        &mut self.resolved().ids
    }

    fn resolved(&mut self) -> &mut Resolved {
        Arc::get_mut(&mut self.catalog.resolved).expect(UNSHARED)
    }

    fn position(&self, id: &str) -> Option<usize> {
        let hash = self.catalog.resolved.hasher.hash_one(id);
        let position = self.by_id.find(hash, |&at| self.id(self.visible[at as usize]) == id)?;
        Some(*position as usize)
    }
}
