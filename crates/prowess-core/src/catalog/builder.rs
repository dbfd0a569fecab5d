//! Puts a catalog together.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};
use prowess_format::Diagnostic;

use super::ids::Ids;
use super::order;
use super::{Aside, AsideState, Callers, Catalog, CatalogSource, RecordIndex};
use crate::{Layer, Record, State};

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
    lacks: Vec<(RecordIndex, Box<str>)>,
    aside: Vec<Aside>,
    refused: Vec<Aside>,
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
            visible: Arc::default(),
            by_id: Arc::default(),
            hasher: DefaultHashBuilder::default(),
            aside: Arc::default(),
            refused: Arc::default(),
            ids: Arc::default(),
            name_only: Arc::default(),
            lacks: Arc::default(),
            aliases: Arc::default(),
            diagnostics: Arc::default(),
        };
        Self {
            catalog,
            visible: Vec::with_capacity(records),
            by_id: HashTable::with_capacity(records),
            withdrawn: HashSet::new(),
            name_only: Vec::new(),
            lacks: Vec::new(),
            aside: Vec::new(),
            refused: Vec::new(),
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
        let Catalog { hasher, sources, ids, .. } = catalog;
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

    /// Says what a record needs that is not there, whatever becomes of it.
    pub fn lack(&mut self, at: RecordIndex, what: impl Into<Box<str>>) {
        self.lacks.push((at, what.into()));
    }

    /// Keeps a record without offering it. One that is shadowed can still be loaded by its qualified id,
    /// the others cannot.
    pub fn put_aside(&mut self, at: RecordIndex, state: State<'_>) {
        let is_shadowed = matches!(state, State::Shadowed(_));
        self.put_aside_for(at, state, Callers { model: is_shadowed, user: is_shadowed });
    }

    /// As [`Self::put_aside`], and says who may load it all the same. A record that was offered is so no
    /// more, and nobody else gets its id.
    pub fn put_aside_for(&mut self, at: RecordIndex, state: State<'_>, callers: Callers) {
        let Some(reason) = state.reason() else { return };
        let state = match state {
            State::Visible => return,
            State::Hidden(_) => AsideState::Hidden,
            State::NotReady(_) => AsideState::NotReady,
            State::Shadowed(_) => AsideState::Shadowed,
        };
        self.withdrawn.insert(at);
        self.aside.push(Aside { at, state, callers, reason: reason.into() });
    }

    /// Keeps a record that does not exist for those whom the catalog is for.
    pub fn put_out_of_scope(&mut self, at: RecordIndex, reason: &str) {
        let (state, callers) = (AsideState::OutOfScope, Callers::default());
        self.aside.push(Aside { at, state, callers, reason: reason.into() });
    }

    /// Keeps a record for which a finding of severity `error` stands, so that it is used by nobody.
    pub fn refuse(&mut self, at: RecordIndex, reason: &str) {
        self.withdrawn.insert(at);
        let (state, callers) = (AsideState::Hidden, Callers::default());
        self.refused.push(Aside { at, state, callers, reason: reason.into() });
    }

    /// Lets further names stand for ids. Where an id is one of the names, it stands for itself.
    pub fn alias(&mut self, aliases: Arc<[(Box<str>, Box<str>)]>) {
        debug_assert!(aliases.is_sorted(), "aliases are looked up by halves");
        self.catalog.aliases = aliases;
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
        self.name_only.sort_unstable();
        self.lacks.sort_unstable();
        let Catalog { sources, ids, .. } = &self.catalog;
        let id_of = |at: RecordIndex| ids.get(sources, at);
        let is_offered = |at: RecordIndex| !self.withdrawn.contains(&at);
        let offered = (0..).zip(&self.visible).filter(|&(_, &at)| is_offered(at));
        let id_at = |position: u32| id_of(self.visible[position as usize]);
        let order = order::sorted(offered.map(|(position, _)| position), id_at);
        // The table keeps its hashes: only where an id's record lies has changed.
        let mut places = vec![0; self.visible.len()];
        for (place, &position) in (0..).zip(&order) {
            places[position as usize] = place;
        }
        self.by_id.retain(|position| is_offered(self.visible[*position as usize]));
        for position in self.by_id.iter_mut() {
            *position = places[*position as usize];
        }
        let visible: Arc<[_]> =
            order.iter().map(|&position| self.visible[position as usize]).collect();
        // Not by the place among the scan's records: those that were read again come first there.
        let key_of = |aside: &Aside| {
            let package = sources[aside.at.source()].records.package(aside.at.entry());
            (id_of(aside.at), aside.at.source(), package)
        };
        self.aside.sort_by(|one, other| key_of(one).cmp(&key_of(other)));
        self.refused.sort_by(|one, other| key_of(one).cmp(&key_of(other)));
        Catalog {
            generation,
            visible,
            by_id: Arc::new(self.by_id),
            aside: self.aside.into(),
            refused: self.refused.into(),
            name_only: self.name_only.into(),
            lacks: self.lacks.into(),
            diagnostics: self.diagnostics.into(),
            ..self.catalog
        }
    }

    fn id(&self, at: RecordIndex) -> &str {
        self.catalog.id(at)
    }

    fn ids(&mut self) -> &mut Ids {
        Arc::get_mut(&mut self.catalog.ids).expect("a catalog under way is nobody else's")
    }

    fn position(&self, id: &str) -> Option<usize> {
        let hash = self.catalog.hasher.hash_one(id);
        let is_it = |&at: &u32| self.id(self.visible[at as usize]) == id;
        self.by_id.find(hash, is_it).map(|&at| at as usize)
    }
}
