//! Catalogs and queries for searching: few words, of which some are in most descriptions, so that
//! many skills score. Text of people is easier.

use std::sync::Arc;

use prowess_core::Catalog;
use prowess_testkit::{Random, memory_catalog};

/// How many words there are.
const VOCABULARY: usize = 410;

/// A catalog of so many skills, in memory.
pub fn catalog(count: usize) -> Arc<Catalog> {
    let words = Vocabulary::new();
    let mut random = Random::new(1, 0);
    let skills: Vec<_> = (0..count)
        .map(|at| {
            let name = format!("{}-{}-{at}", words.any(&mut random), words.any(&mut random));
            let length = 20 + random.below(40);
            (name, words.sentence(&mut random, length))
        })
        .collect();
    memory_catalog(skills.iter().map(|(name, text)| (&**name, &**text, &[][..])))
}

/// So many queries of one to four words.
pub fn queries(count: usize) -> Vec<String> {
    let (words, mut random) = (Vocabulary::new(), Random::new(2, 0));
    (0..count)
        .map(|_| {
            let length = 1 + random.below(4);
            words.sentence(&mut random, length)
        })
        .collect()
}

/// The same queries with a letter too many in one of their words.
pub fn misspelt(count: usize) -> Vec<String> {
    queries(count).into_iter().map(|query| query + "q").collect()
}

/// Words, the frequent ones first, with how often one of the first so many is drawn.
struct Vocabulary {
    words: Vec<String>,
    drawn: Vec<usize>,
}

impl Vocabulary {
    fn new() -> Self {
        let word = |at: usize| {
            let syllables = ["ba", "do", "ki", "lu", "me", "na", "po", "ru", "ta", "vo"];
            let syllable = |at: usize| syllables[at % syllables.len()];
            format!("{}{}{}n", syllable(at), syllable(at / 10 + 3), syllable(at / 100 + 7))
        };
        let mut total = 0;
        let drawn = (1..=VOCABULARY).map(|rank| {
            total += 1_000_000 / rank;
            total
        });
        Self { drawn: drawn.collect(), words: (0..VOCABULARY).map(word).collect() }
    }

    fn any(&self, random: &mut Random) -> &str {
        let draw = random.below(self.drawn.last().copied().unwrap_or(1));
        &self.words[self.drawn.partition_point(|&end| end <= draw)]
    }

    fn sentence(&self, random: &mut Random, length: usize) -> String {
        let words: Vec<_> = (0..length).map(|_| self.any(random)).collect();
        words.join(" ")
    }
}
