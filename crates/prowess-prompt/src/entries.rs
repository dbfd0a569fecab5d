//! The entries of a catalog, each made when it is needed.

use std::borrow::Cow;

use prowess_core::{Record, ShowLocation, character_count};
use prowess_text::{is_exact, is_one_line};

use crate::changes::{ChangeKind, Changes};
use crate::{Overflow, SkillEntry};

/// The skills of a catalog that a model can name. Under a budget most of them are never shown, so
/// their locations are made one at a time.
pub(crate) struct Entries<'a> {
    skills: Vec<Nameable<'a>>,
    show: ShowLocation,
}

/// A record, and its id: the id of each is needed several times.
#[derive(Clone, Copy)]
struct Nameable<'a> {
    id: &'a str,
    record: Record<'a>,
}

impl<'a> Entries<'a> {
    /// Takes the skills of a catalog, and records those that cannot be named in `changes`.
    pub(crate) fn new(
        records: impl Iterator<Item = Record<'a>>,
        show: ShowLocation,
        changes: &mut Changes,
    ) -> Self {
        let mut skills = Vec::with_capacity(records.size_hint().1.unwrap_or_default());
        for record in records {
            let id = record.id();
            if is_nameable(id) {
                skills.push(Nameable { id, record });
            } else {
                changes.push(id, ChangeKind::Unnameable);
            }
        }
        Self { skills, show }
    }

    /// Returns the same skills without their locations.
    pub(crate) fn without_locations(&self) -> Self {
        Self { skills: self.skills.clone(), show: ShowLocation::None }
    }

    pub(crate) fn has_locations(&self) -> bool {
        self.show != ShowLocation::None
    }

    pub(crate) fn len(&self) -> usize {
        self.skills.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.skills.is_empty()
    }

    pub(crate) fn id(&self, position: usize) -> &'a str {
        self.skills[position].id
    }

    pub(crate) fn ids(&self) -> impl ExactSizeIterator<Item = &'a str> {
        self.skills.iter().map(|skill| skill.id)
    }

    /// Returns the positions in the order in which skills stay under a budget; `None` for the order
    /// of the ids.
    pub(crate) fn order(&self, overflow: Overflow, preferred: &[String]) -> Option<Vec<usize>> {
        match overflow {
            Overflow::Shorten if preferred.is_empty() => None,
            Overflow::NamesOnly => None,
            Overflow::Shorten | Overflow::Relevance | Overflow::Usage => {
                Some(self.preferred_first(preferred))
            }
            Overflow::Layer => Some(self.by_layer()),
        }
    }

    fn preferred_first(&self, preferred: &[String]) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.len());
        let mut is_rest = vec![true; self.len()];
        for id in preferred {
            // Catalogs are sorted by id.
            let found = self.skills.binary_search_by(|skill| skill.id.cmp(id.as_str()));
            if let Ok(position) = found
                && is_rest[position]
            {
                is_rest[position] = false;
                order.push(position);
            }
        }
        order.extend((0..self.len()).filter(|&position| is_rest[position]));
        order
    }

    /// Returns the positions with the highest layer first, and by id within a layer.
    fn by_layer(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by_key(|&position| self.skills[position].record.rank());
        order
    }

    /// Returns the entry at this index. Its location is written to `location`, whose memory is used
    /// again for the next one.
    pub(crate) fn get<'e>(&'e self, index: usize, location: &'e mut String) -> SkillEntry<'e> {
        let Nameable { id, record } = self.skills[index];
        SkillEntry::with_location(id, record, self.show, move || {
            location.clear();
            record.push_location(location);
            Cow::Borrowed(location)
        })
    }

    /// Returns the number of characters of the longest description.
    pub(crate) fn longest_description(&self) -> usize {
        let mut location = String::new();
        let lengths = (0..self.len())
            .map(|index| character_count(&self.get(index, &mut location).description));
        lengths.max().unwrap_or_default()
    }

    /// Returns about how long the text of the first `count` entries becomes, from a sample of them.
    pub(crate) fn likely_length(&self, count: usize) -> usize {
        /// A catalog's entries are alike enough for so many to stand for all.
        const SAMPLE: usize = 32;
        let mut location = String::new();
        let sample = 0..count.min(SAMPLE);
        let length: usize =
            sample.map(|index| self.get(index, &mut location).likely_length()).sum();
        // A quarter more than the sample says costs less than a second copy of the text.
        let all = length * count / count.clamp(1, SAMPLE);
        all + all / 4
    }
}

/// Returns whether the shown form of an id equals the id, so that a model can copy it.
fn is_nameable(id: &str) -> bool {
    if is_one_line(id) {
        return !id.is_empty();
    }
    let has_words = !id.is_empty() && id.split(' ').all(|word| !word.is_empty());
    has_words && is_exact(id) && !id.contains(|c: char| c.is_whitespace() && c != ' ')
}
