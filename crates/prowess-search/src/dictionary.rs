//! Maps the words of a query to terms of an index, with corrections for unknown words.

use std::cmp::Reverse;

use crate::terms::{Near, Terms};

/// How many terms may stand in for one that is unknown.
const MOST_CORRECTIONS: usize = 3;

/// The least number of letters of a word that stands for longer ones.
const LEAST_BEGINNING: usize = 4;

/// The terms of an index, and the words that they were made of.
#[derive(Debug)]
pub(crate) struct Dictionary {
    terms: Terms,
    /// The words that are not spelt like their terms. A typo hits a word, and the stem of what was
    /// mistyped may be far from the stem of what was meant.
    spellings: Terms,
    /// The term of each spelling.
    spelt: Box<[u32]>,
}

impl Dictionary {
    /// A dictionary of sorted terms, and of sorted words with the numbers of their terms.
    pub(crate) fn new(terms: &[&str], spellings: &[(&str, u32)]) -> Self {
        let words: Vec<_> = spellings.iter().map(|&(word, _)| word).collect();
        let spelt = spellings.iter().map(|&(_, term)| term).collect();
        Self::of(Terms::new(terms), Terms::new(&words), spelt)
    }

    pub(crate) fn of(terms: Terms, spellings: Terms, spelt: Box<[u32]>) -> Self {
        Self { terms, spellings, spelt }
    }

    pub(crate) fn parts(&self) -> (&Terms, &Terms, &[u32]) {
        (&self.terms, &self.spellings, &self.spelt)
    }

    /// The number of a term.
    pub(crate) fn find(&self, term: &str) -> Option<usize> {
        self.terms.find(term)
    }

    /// Returns the terms nearest to an unknown word, all at the same distance. If none is near,
    /// those that begin with the word. If there are many, the most frequent ones.
    pub(crate) fn corrections(
        &self,
        word: &str,
        stem: &str,
        frequency: impl Fn(usize) -> usize,
    ) -> Vec<Near> {
        let reach = reach(word);
        if reach == 0 {
            return Vec::new();
        }
        let mut near: Vec<_> = self.terms.near(stem, reach).collect();
        if stem != word {
            near.extend(self.terms.near(word, reach));
        }
        for spelling in self.spellings.near(word, reach) {
            near.push(Near { term: self.spelt[spelling.term] as usize, ..spelling });
        }
        near.sort_unstable();
        let nearest = near.first().map_or(0, |near| near.distance);
        near.retain(|near| near.distance == nearest);
        near.dedup();
        if near.is_empty() && word.chars().count() >= LEAST_BEGINNING {
            let longer = self.terms.starting_with(word);
            near.extend(longer.map(|term| Near { distance: 1, term }));
        }
        near.sort_by_key(|near| Reverse(frequency(near.term)));
        near.truncate(MOST_CORRECTIONS);
        near
    }
}

/// How many letters of a word may be wrong. A short word has too many neighbours, and the neighbour
/// of a number is another number.
pub(crate) fn reach(word: &str) -> usize {
    if word.bytes().any(|byte| byte.is_ascii_digit()) {
        return 0;
    }
    match word.chars().count() {
        0..=2 => 0,
        3..=6 => 1,
        _ => 2,
    }
}
