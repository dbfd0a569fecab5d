//! Pairs of texts that are alike, without comparing each with each.
//!
//! An inverted index finds candidates: only texts that share a rare enough word are compared. A
//! word in more than [`MOST_POSTINGS`] texts distinguishes them little and would make the work
//! quadratic, so it counts in the comparison but does not find candidates.

use std::collections::HashMap;

use crate::words::words;

use crate::alike::Likeness;

/// The most texts that a word may have to find candidates.
const MOST_POSTINGS: usize = 64;

/// The share of common words from which on two texts are nearly the same.
const NEAR: f32 = 0.8;

/// The cosine of weighted words from which on a model would confuse two skills.
const CONFUSABLE: f32 = 0.65;

/// The fewest different words of a text that is compared: of short ones all are alike.
const FEWEST_WORDS: usize = 5;

/// Two texts by their numbers, the smaller first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) one: usize,
    pub(crate) other: usize,
    pub(crate) likeness: Likeness,
    pub(crate) score: f32,
}

/// The most alike pairs, at most `most`: for each text the one before it that is most like it.
pub(crate) fn pairs(texts: &[&str], most: usize) -> Vec<Pair> {
    let index = Index::new(texts);
    let mut pairs: Vec<Pair> = (0..texts.len()).filter_map(|at| index.nearest(at)).collect();
    pairs.sort_by(|one, other| {
        let by_kind = one.likeness.cmp(&other.likeness);
        by_kind
            .then(other.score.total_cmp(&one.score))
            .then((one.one, one.other).cmp(&(other.one, other.other)))
    });
    pairs.truncate(most);
    pairs
}

struct Index {
    /// The words of each text in their order, as numbers.
    texts: Vec<Vec<u32>>,
    /// The different words of each text, sorted, with their weights; a text's weights have length
    /// 1.
    weighted: Vec<Vec<(u32, f32)>>,
    /// The texts that have a word.
    postings: Vec<Vec<usize>>,
}

impl Index {
    fn new(texts: &[&str]) -> Self {
        let mut numbers = HashMap::new();
        let texts: Vec<Vec<u32>> = texts.iter().map(|text| numbered(text, &mut numbers)).collect();
        let mut postings = vec![Vec::new(); numbers.len()];
        let different = |text: &Vec<u32>| {
            let mut words = text.clone();
            words.sort_unstable();
            words.dedup();
            words
        };
        let sets: Vec<Vec<u32>> = texts.iter().map(different).collect();
        for (at, set) in sets.iter().enumerate() {
            for word in set {
                postings[*word as usize].push(at);
            }
        }
        let weight = |word: &u32| rarity(postings[*word as usize].len(), texts.len());
        let weighted = sets.iter().map(|set| normalized(set, weight)).collect();
        Self { texts, weighted, postings }
    }

    /// The text before this one that is most like it.
    fn nearest(&self, at: usize) -> Option<Pair> {
        if self.weighted[at].len() < FEWEST_WORDS {
            return None;
        }
        let pairs = self.candidates(at).into_iter().filter_map(|one| self.compare(one, at));
        pairs.reduce(|best, pair| {
            let is_better = (pair.likeness, -pair.score) < (best.likeness, -best.score);
            if is_better { pair } else { best }
        })
    }

    /// The texts before this one that share a rare enough word with it.
    fn candidates(&self, at: usize) -> Vec<usize> {
        let rare = self.weighted[at]
            .iter()
            .map(|(word, _)| &self.postings[*word as usize])
            .filter(|postings| postings.len() <= MOST_POSTINGS);
        // Many copies of one text have no rare word: each then meets the one before it.
        let common = self.weighted[at].iter().map(|(word, _)| &self.postings[*word as usize]);
        let neighbours = common.filter_map(|postings| {
            let place = postings.binary_search(&at).ok()?;
            place.checked_sub(1).map(|before| postings[before])
        });
        let before = rare.flat_map(|postings| postings.iter().copied().take_while(|one| *one < at));
        let mut candidates: Vec<_> = before.chain(neighbours).collect();
        candidates.sort_unstable();
        candidates.dedup();
        candidates
    }

    fn compare(&self, one: usize, other: usize) -> Option<Pair> {
        let pair = |likeness, score| Some(Pair { one, other, likeness, score });
        if self.weighted[one].len() < FEWEST_WORDS {
            return None;
        }
        if self.texts[one] == self.texts[other] {
            return pair(Likeness::Duplicate, 1.0);
        }
        let (common, cosine) = shared(&self.weighted[one], &self.weighted[other]);
        let all = self.weighted[one].len() + self.weighted[other].len() - common;
        let share = ratio(common, all);
        if share >= NEAR {
            pair(Likeness::NearDuplicate, share)
        } else if cosine >= CONFUSABLE {
            pair(Likeness::Confusable, cosine)
        } else {
            None
        }
    }
}

fn numbered(text: &str, numbers: &mut HashMap<String, u32>) -> Vec<u32> {
    words(text)
        .map(|word| {
            // Most words are known, and only a new one is copied.
            if let Some(number) = numbers.get(&*word) {
                return *number;
            }
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            numbers.insert(word.into_owned(), next);
            next
        })
        .collect()
}

/// Returns the inverse document frequency of a word that `having` of `all` texts have.
fn rarity(having: usize, all: usize) -> f32 {
    (1.0 + ratio(all, having.max(1))).ln()
}

fn normalized(set: &[u32], weight: impl Fn(&u32) -> f32) -> Vec<(u32, f32)> {
    let mut weighted: Vec<(u32, f32)> = set.iter().map(|word| (*word, weight(word))).collect();
    let length = weighted.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
    for (_, weight) in &mut weighted {
        *weight /= length.max(f32::MIN_POSITIVE);
    }
    weighted
}

/// How many words two texts have in common, and the cosine of their weights.
fn shared(one: &[(u32, f32)], other: &[(u32, f32)]) -> (usize, f32) {
    let mut left = 0;
    let mut right = 0;
    let mut common = 0;
    let mut cosine = 0.0;
    while let (Some((word, weight)), Some((second, with))) = (one.get(left), other.get(right)) {
        if word == second {
            common += 1;
            cosine += weight * with;
        }
        left += usize::from(word <= second);
        right += usize::from(second <= word);
    }
    (common, cosine)
}

#[expect(clippy::cast_precision_loss, reason = "counts of words and texts are small")]
fn ratio(part: usize, whole: usize) -> f32 {
    part as f32 / whole as f32
}
