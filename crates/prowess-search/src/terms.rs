//! Many words, sorted, in one text.

use crate::distance::distance;

/// Sorted terms, each with a number.
#[derive(Debug)]
pub(crate) struct Terms {
    text: Box<str>,
    /// Where each term begins, and the end of the last.
    starts: Box<[u32]>,
    /// Which letters each term has: a quick check for terms that cannot be near.
    letters: Box<[u32]>,
}

/// A term that is near to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Near {
    /// How many letters differ.
    pub(crate) distance: usize,
    /// The term's number.
    pub(crate) term: usize,
}

impl Terms {
    /// The dictionary of these sorted terms.
    pub(crate) fn new(sorted: &[&str]) -> Self {
        let text: String = sorted.concat();
        let mut starts = Vec::with_capacity(sorted.len() + 1);
        let mut end = 0;
        starts.push(0);
        for term in sorted {
            end += term.len();
            starts.push(u32::try_from(end).expect("a catalog's texts are below 4 GiB"));
        }
        let letters = sorted.iter().map(|term| letters(term)).collect();
        Self { text: text.into(), starts: starts.into(), letters }
    }

    pub(crate) fn find(&self, term: &str) -> Option<usize> {
        let number = self.lower_bound(term);
        (number < self.letters.len() && self.term(number) == term).then_some(number)
    }

    /// Returns the terms in which at most `reach` letters differ from a word.
    pub(crate) fn near(&self, word: &str, reach: usize) -> impl Iterator<Item = Near> {
        let wanted = letters(word);
        // One wrong letter takes at most one letter away and brings at most one.
        let candidates = (0..)
            .zip(&self.letters)
            .filter(move |&(_, &letters)| (letters ^ wanted).count_ones() as usize <= 2 * reach);
        candidates.filter_map(move |(number, _)| {
            let term = self.term(number);
            if term.len().abs_diff(word.len()) > reach * char::MAX_LEN_UTF8 {
                return None;
            }
            let distance = distance(word, term, reach)?;
            Some(Near { distance, term: number })
        })
    }

    /// Returns the terms that begin with a text.
    pub(crate) fn starting_with(&self, text: &str) -> impl Iterator<Item = usize> {
        let first = self.lower_bound(text);
        (first..self.letters.len()).take_while(move |&number| self.term(number).starts_with(text))
    }

    /// Returns the number of the first term that is not less than a text.
    fn lower_bound(&self, text: &str) -> usize {
        let mut low = 0;
        let mut high = self.letters.len();
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.term(middle) < text {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Returns the number of terms.
    pub(crate) fn len(&self) -> usize {
        self.letters.len()
    }

    pub(crate) fn term(&self, number: usize) -> &str {
        &self.text[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}

/// Which letters a word has, as bits; several letters may share one.
fn letters(word: &str) -> u32 {
    word.chars().fold(0, |letters, c| letters | 1 << (u32::from(c) % 32))
}
