//! Builds the index of a catalog.

use hashbrown::{HashMap, HashSet};
use prowess_core::Record;

use crate::dictionary::Dictionary;
use crate::exclusions::without_exclusions;
use crate::postings::Postings;
use crate::stopwords::is_stopword;
use crate::words::{Stems, Words};

/// How much sooner a further occurrence of a term stops counting: below the usual 1.2, because a
/// description is short and repeats words to be found.
const SATURATION: f32 = 0.9;
/// How much a long text lowers the score of a skill, from 0 to 1; the usual value.
const LENGTH_SHARE: f32 = 0.75;

/// The weight of a word of the name. A name is short and chosen with care.
const NAME_WEIGHT: u32 = 3;
/// The weight of a word of a tag or of the description.
const TEXT_WEIGHT: u32 = 1;

/// Collects the occurrences of terms.
#[derive(Default)]
struct Builder {
    vocabulary: Vocabulary,
    words: Words,
    /// The index of each term's last entry in `occurrences`.
    last: Vec<usize>,
    occurrences: Vec<Occurrence>,
    lengths: Vec<u32>,
}

/// How often one skill has one term.
#[derive(Clone, Copy)]
struct Occurrence {
    term: u32,
    skill: u32,
    count: u32,
}

/// Words and terms by number, in the order of their first occurrence.
#[derive(Default)]
struct Vocabulary {
    /// The terms that count, if not all of them do.
    wanted: Option<HashSet<String>>,
    stems: Stems,
    /// The term of each spelling. Texts repeat their words, so each is stemmed once.
    spellings: HashMap<Box<str>, Spelling>,
    terms: HashMap<String, u32>,
}

#[derive(Clone, Copy)]
struct Spelling {
    /// `None` for a term that is not wanted.
    term: Option<u32>,
    is_stopword: bool,
}

/// Collects the terms of skills, or those alone that are wanted, and the skills that have them.
pub(crate) fn build<'c>(
    skills: impl Iterator<Item = Record<'c>>,
    wanted: Option<HashSet<String>>,
) -> (Dictionary, Postings) {
    let vocabulary = Vocabulary { wanted, ..Vocabulary::default() };
    let mut builder = Builder { vocabulary, ..Builder::default() };
    for (position, skill) in (0..).zip(skills) {
        builder.add(position, skill);
    }
    builder.finish()
}

impl Builder {
    fn add(&mut self, position: u32, skill: Record<'_>) {
        self.lengths.push(0);
        self.read(position, skill.name(), NAME_WEIGHT, |_| true);
        if skill.id() != skill.name() {
            self.read(position, skill.id(), TEXT_WEIGHT, |_| true);
        }
        let is_telling = |spelling: Spelling| !spelling.is_stopword;
        for part in without_exclusions(skill.description()) {
            self.read(position, part, TEXT_WEIGHT, is_telling);
        }
        for tag in skill.tags() {
            self.read(position, tag, TEXT_WEIGHT, is_telling);
        }
    }

    fn read(&mut self, skill: u32, text: &str, weight: u32, counts: impl Fn(Spelling) -> bool) {
        let Self { vocabulary, words, last, occurrences, lengths } = self;
        let length = lengths.last_mut().expect("each skill has a length");
        words.each(text, |word| {
            let spelling = vocabulary.spelling(word);
            if !counts(spelling) {
                return;
            }
            *length += weight;
            let Some(term) = spelling.term else { return };
            last.resize(vocabulary.terms.len().max(last.len()), usize::MAX);
            let at = &mut last[term as usize];
            match occurrences.get_mut(*at).filter(|earlier| earlier.skill == skill) {
                Some(earlier) => earlier.count += weight,
                None => {
                    *at = occurrences.len();
                    occurrences.push(Occurrence { term, skill, count: weight });
                }
            }
        });
    }

    fn finish(self) -> (Dictionary, Postings) {
        let Self { vocabulary, occurrences, lengths, .. } = self;
        let mut frequencies = vec![0; vocabulary.terms.len()];
        for occurrence in &occurrences {
            frequencies[occurrence.term as usize] += 1;
        }
        let terms = vocabulary.sorted_terms(&frequencies);
        let lists = terms.iter().map(|&(_, number)| frequencies[number as usize]);
        let mut postings = Postings::new(lengths.len(), lists);
        let mut places = vec![None; frequencies.len()];
        for (place, &(_, number)) in (0_u32..).zip(&terms) {
            places[number as usize] = Some(place);
        }
        let weigh = Weigh::new(&lengths);
        for Occurrence { term, skill, count } in occurrences {
            let place = places[term as usize].expect("a term that occurs has a place");
            postings.push(place as usize, skill, weigh.weight(count, lengths[skill as usize]));
        }
        let texts: Vec<_> = terms.iter().map(|&(term, _)| term).collect();
        let spellings = vocabulary.sorted_spellings(&texts, &places);
        (Dictionary::new(&texts, &spellings), postings)
    }
}

impl Vocabulary {
    fn spelling(&mut self, word: &str) -> Spelling {
        if let Some(&spelling) = self.spellings.get(word) {
            return spelling;
        }
        let term = self.stems.term(word);
        let is_wanted = self.wanted.as_ref().is_none_or(|wanted| wanted.contains(&*term));
        let next = u32::try_from(self.terms.len()).expect("a catalog's texts are below 4 GiB");
        let term = is_wanted.then(|| *self.terms.entry_ref(&*term).or_insert(next));
        let spelling = Spelling { term, is_stopword: is_stopword(word) };
        self.spellings.insert(word.into(), spelling);
        spelling
    }
}

impl Vocabulary {
    /// Returns the terms that occur in a skill, with their numbers. A stopword that is in no name
    /// is left out.
    fn sorted_terms(&self, frequencies: &[u32]) -> Vec<(&str, u32)> {
        let used = self.terms.iter().filter(|&(_, &number)| frequencies[number as usize] > 0);
        let mut terms: Vec<_> = used.map(|(term, &number)| (term.as_str(), number)).collect();
        terms.sort_unstable();
        terms
    }

    /// The words that are not their own term, with the places of their terms.
    fn sorted_spellings(&self, terms: &[&str], places: &[Option<u32>]) -> Vec<(&str, u32)> {
        let mut spellings = Vec::new();
        for (word, spelling) in &self.spellings {
            if let Some(place) = spelling.term.and_then(|term| places[term as usize])
                && **word != *terms[place as usize]
            {
                spellings.push((&**word, place));
            }
        }
        spellings.sort_unstable();
        spellings
    }
}

/// The part of BM25 that does not depend on the query.
struct Weigh {
    mean_length: f32,
}

impl Weigh {
    fn new(lengths: &[u32]) -> Self {
        let total: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
        #[expect(clippy::cast_precision_loss, reason = "a mean need not be exact")]
        let mean = total as f32 / lengths.len().max(1) as f32;
        Self { mean_length: mean.max(1.0) }
    }

    /// Returns the weight of a term that occurs `count` times in a skill of this length: above 0
    /// and below 1.
    #[expect(clippy::cast_precision_loss, reason = "counts of words are small")]
    fn weight(&self, count: u32, length: u32) -> f32 {
        let relative_length = length as f32 / self.mean_length;
        let damping = SATURATION * (1.0 - LENGTH_SHARE + LENGTH_SHARE * relative_length);
        count as f32 / (count as f32 + damping)
    }
}
