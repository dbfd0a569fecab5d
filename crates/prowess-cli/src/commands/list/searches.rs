//! Searches in the list of a running server.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use memchr::memmem::Finder;
use prowess::{Catalog, Record, RecordIndex};

use super::found;
use crate::args::List;

/// The results of the last searches in a catalog, so that their parts need no other, and the texts
/// that the next one looks through.
#[derive(Default)]
pub(crate) struct Searches {
    last: Mutex<Vec<(Search, Positions)>>,
    texts: Mutex<Arc<Texts>>,
}

/// The number of the catalog, the text, whether only skills that are not offered are meant, and the
/// layer.
type Search = (u64, Option<String>, bool, Option<String>);

/// The skills, and the shadowed ones.
type Positions = Arc<[Vec<RecordIndex>; 2]>;

impl Searches {
    /// The maximum number of searches that are kept.
    const MOST: usize = 8;

    pub(super) fn found(&self, catalog: &Catalog, args: &List) -> Positions {
        let search = (catalog.serial(), args.text.clone(), args.hidden, args.layer.clone());
        let mut known = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = known.iter().find(|it| it.0 == search) {
            return Arc::clone(found);
        }
        let text = args.text.as_deref().unwrap_or_default().to_lowercase();
        let named = (!text.is_empty()).then(|| self.texts(catalog).with(&text));
        let is_named =
            |it: &Record<'_>| named.as_ref().is_none_or(|named| named.contains(&it.index()));
        let found = found(catalog, args, is_named);
        let found = Arc::new(found.map(|all| all.iter().map(Record::index).collect()));
        known.retain(|it| it.0.0 == search.0);
        known.truncate(Self::MOST - 1);
        known.insert(0, (search, Arc::clone(&found)));
        found
    }

    /// Returns the texts of a catalog, which are read again for the first search in another one.
    pub(crate) fn texts(&self, catalog: &Catalog) -> Arc<Texts> {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        if texts.catalog != catalog.serial() {
            *texts = Arc::new(Texts::of(catalog));
        }
        Arc::clone(&texts)
    }
}

/// The ids and descriptions of a catalog in lower case, one after the other: so each of them is
/// looked through at the speed of memory.
#[derive(Default)]
pub(crate) struct Texts {
    catalog: u64,
    lower: String,
    /// The skills, with where the texts of each end.
    ends: Vec<(usize, RecordIndex)>,
}

impl Texts {
    fn of(catalog: &Catalog) -> Self {
        let mut texts = Self { catalog: catalog.serial(), ..Self::default() };
        for record in catalog.skills().chain(catalog.excluded()) {
            for text in [record.id(), record.description()] {
                texts.lower += &text.to_lowercase();
                // No search is across two texts.
                texts.lower.push('\0');
            }
            texts.ends.push((texts.lower.len(), record.index()));
        }
        texts
    }

    /// Returns the skills with a text in lower case.
    fn with(&self, text: &str) -> HashSet<RecordIndex> {
        let (finder, mut from, mut found) = (Finder::new(text), 0, HashSet::new());
        while let Some(place) = finder.find(&self.lower.as_bytes()[from..]) {
            let next = self.ends.partition_point(|(end, _)| *end <= from + place);
            let Some((end, record)) = self.ends.get(next) else { break };
            found.insert(*record);
            from = *end;
        }
        found
    }
}
