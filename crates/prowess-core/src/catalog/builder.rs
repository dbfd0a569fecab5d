//! Puts a catalog together.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;
use prowess_format::Diagnostic;

use super::ids::Ids;
use super::{Catalog, CatalogSource, Excluded, RecordIndex, Resolved};
use crate::{Availability, Callers, Layer, Record};

const UNSHARED: &str = "a catalog that is being built is not shared";

/// Puts a catalog together. Which of two records wins is the caller's decision: this keeps ids
/// unique.
pub struct CatalogBuilder {
    /// What views of records are given of: without the fields that follow.
    catalog: Catalog,
    visible: Vec<RecordIndex>,
    /// Positions in `visible`, by id.
    by_id: HashTable<u32>,
    /// Those of `visible` that are not to be offered after all.
    withdrawn: HashSet<RecordIndex>,
    name_only: Vec<RecordIndex>,
    missing: Vec<(RecordIndex, Box<str>)>,
    excluded: Vec<Excluded>,
    rejected: Vec<Excluded>,
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
        let resolved = Arc::new(Resolved { layers: layers.into(), ..Resolved::default() });
        let catalog = Catalog { generation: 0, sources: sources.into(), resolved };
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

    /// Gives a record that is still to be placed an id of the host's choice.
    pub fn name(&mut self, at: RecordIndex, id: impl Into<Box<str>>) {
        self.ids().set_own(at, id.into());
    }

    /// Offers a record to the model, unless one with its id is offered already.
    ///
    /// # Errors
    ///
    /// The record that has the id; the new one is still to be placed. [`Self::supersede`] puts it in
    /// the other's stead.
    pub fn show(&mut self, at: RecordIndex) -> Result<(), RecordIndex> {
        let Self { catalog, visible, by_id, .. } = self;
        let Catalog { sources, resolved, .. } = catalog;
        let Resolved { hasher, ids, .. } = &**resolved;
        let id = ids.get(sources, at);
        let hash = hasher.hash_one(id);
        let is_it = |&other: &u32| ids.get(sources, visible[other as usize]) == id;
        if let Some(&holder) = by_id.find(hash, is_it) {
            return Err(visible[holder as usize]);
        }
        let position = u32::try_from(visible.len()).expect("a scan is bounded far below 2^32");
        visible.push(at);
        by_id.insert_unique(hash, position, |&other| {
            hasher.hash_one(ids.get(sources, visible[other as usize]))
        });
        Ok(())
    }

    /// Offers a record in the stead of `holder`, which has the same id and is then to be placed.
    pub fn supersede(&mut self, holder: RecordIndex, at: RecordIndex) {
        let is_same_id = self.id(holder) == self.id(at);
        debug_assert!(is_same_id, "only a record with the same id takes the place of another");
        if let Some(position) = self.position(self.id(holder)) {
            self.visible[position] = at;
        }
    }

    /// Offers a record whose id another has under an id of its own.
    ///
    /// # Errors
    ///
    /// The record that has that id already.
    pub fn show_as(&mut self, at: RecordIndex, id: &str) -> Result<(), RecordIndex> {
        if let Some(holder) = self.holder(id) {
            return Err(holder);
        }
        self.ids().set_distinct(at, id.into());
        self.show(at)
    }

    /// The record that is offered under an id so far.
    pub fn holder(&self, id: &str) -> Option<RecordIndex> {
        self.position(id).map(|at| self.visible[at])
    }

    /// Shows a record that is offered by its name alone.
    pub fn show_name_only(&mut self, at: RecordIndex) {
        self.name_only.push(at);
    }

    /// Sets the missing requirement of a record, whether it is offered or not.
    pub fn missing_requirement(&mut self, at: RecordIndex, what: impl Into<Box<str>>) {
        self.missing.push((at, what.into()));
    }

    /// Excludes a record from what is offered. A shadowed one can still be loaded by its qualified id.
    pub fn exclude(&mut self, at: RecordIndex, availability: Availability, reason: &str) {
        self.exclude_for(at, availability, reason, availability.callers());
    }

    /// Excludes a record from what is offered, except to these callers. If it was offered, no other record
    /// gets its id.
    pub fn exclude_for(
        &mut self,
        at: RecordIndex,
        availability: Availability,
        reason: &str,
        callers: Callers,
    ) {
        let excluded = Excluded { at, availability, callers, reason: reason.into() };
        match availability {
            Availability::Offered => return,
            Availability::Rejected => self.rejected.push(excluded),
            _ => self.excluded.push(excluded),
        }
        self.withdrawn.insert(at);
    }

    /// Lets further names stand for ids. Where an id is one of the names, it stands for itself.
    pub fn alias(&mut self, aliases: Arc<[(Box<str>, Box<str>)]>) {
        debug_assert!(aliases.is_sorted(), "aliases are looked up by halves");
        self.resolved().aliases = aliases;
    }

    /// Adds a finding that is not a scan's own.
    pub fn diagnose(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// A view of a record that is being placed, to word reasons with.
    pub fn record(&self, at: RecordIndex) -> Record<'_> {
        Record::new(&self.catalog, at)
    }

    /// The finished catalog.
    pub fn finish(mut self, generation: u64) -> Catalog {
        self.name_only.sort_unstable();
        self.missing.sort_unstable();
        let Catalog { sources, resolved, .. } = &self.catalog;
        let id_of = |at: RecordIndex| resolved.ids.get(sources, at);
        let is_offered = |at: RecordIndex| !self.withdrawn.contains(&at);
        let offered = (0_u32..).zip(&self.visible).filter(|&(_, &at)| is_offered(at));
        let mut order: Vec<_> = offered.map(|(position, _)| position).collect();
        let id_at = |position: &u32| id_of(self.visible[*position as usize]);
        order.sort_unstable_by(|one, other| id_at(one).cmp(id_at(other)));
        // The table keeps its hashes: only where an id's record lies has changed.
        let mut positions = vec![0; self.visible.len()];
        for (new, &old) in (0..).zip(&order) {
            positions[old as usize] = new;
        }
        self.by_id.retain(|position| is_offered(self.visible[*position as usize]));
        for position in self.by_id.iter_mut() {
            *position = positions[*position as usize];
        }
        let visible = order.iter().map(|&position| self.visible[position as usize]).collect();
        // Not by the position among the scan's records: those that were read again come first there.
        let key_of = |excluded: &Excluded| {
            let at = excluded.at;
            (id_of(at), at.source(), sources[at.source()].records.package(at.entry()))
        };
        self.excluded.sort_by(|one, other| key_of(one).cmp(&key_of(other)));
        self.rejected.sort_by(|one, other| key_of(one).cmp(&key_of(other)));
        let Catalog { sources, resolved, .. } = self.catalog;
        let resolved = Arc::into_inner(resolved).expect(UNSHARED);
        let resolved = Resolved {
            visible,
            by_id: self.by_id,
            excluded: self.excluded.into(),
            rejected: self.rejected.into(),
            name_only: self.name_only.into(),
            missing: self.missing.into(),
            diagnostics: self.diagnostics.into(),
            ..resolved
        };
        Catalog { generation, sources, resolved: Arc::new(resolved) }
    }

    fn id(&self, at: RecordIndex) -> &str {
        self.catalog.id(at)
    }

    fn ids(&mut self) -> &mut Ids {
        &mut self.resolved().ids
    }

    fn resolved(&mut self) -> &mut Resolved {
        Arc::get_mut(&mut self.catalog.resolved).expect(UNSHARED)
    }

    fn position(&self, id: &str) -> Option<usize> {
        let hash = self.catalog.resolved.hasher.hash_one(id);
        let is_it = |&at: &u32| self.id(self.visible[at as usize]) == id;
        self.by_id.find(hash, is_it).map(|&at| at as usize)
    }
}
