//! The index of one catalog, and how a query is answered from it.

use std::convert::Infallible;

use prowess_core::{Catalog, Record};

use crate::dictionary::Dictionary;
use crate::hit::{Hit, first};
use crate::postings::Postings;
use crate::query::{Wanted, needs_no_other, terms, wanted};
use crate::top::Top;

/// How many skills are scored at a time: few enough that their scores stay in the nearest cache.
pub(crate) const WINDOW: usize = 4_096;
/// The number of skills from which a word that only one of them has is a rare one.
const MANY: usize = 100;
/// How much more such a word counts.
const UNIQUE: f32 = 1.5;
/// The least weight of such a word in its skill, from 0 to 1.
const LEAST_UNIQUE: f32 = 0.6;
/// How many scores are compared with the bar at once.
const LANES: usize = 16;

/// An inverted index over one catalog. It never changes, and equal catalogs have equal indexes.
#[derive(Debug)]
pub struct SearchIndex {
    pub(crate) dictionary: Dictionary,
    pub(crate) postings: Postings,
}

impl SearchIndex {
    /// The index of a catalog's visible skills. It takes a few microseconds a skill.
    pub fn build(catalog: &Catalog) -> Self {
        Self::of_skills(catalog.skills())
    }

    /// The index of some skills, whose positions are those of the iterator.
    pub fn of_skills<'c>(skills: impl Iterator<Item = Record<'c>>) -> Self {
        let (dictionary, postings) = crate::build::build(skills, None);
        Self { dictionary, postings }
    }

    /// An index that answers this query as a whole one does: of the terms alone that the query asks
    /// for, unless it has an unknown word, whose corrections are among all terms.
    pub(crate) fn for_query(catalog: &Catalog, query: &str) -> Self {
        let (dictionary, postings) = crate::build::build(catalog.skills(), Some(terms(query)));
        let part = Self { dictionary, postings };
        if needs_no_other(&part.dictionary, query) { part } else { Self::build(catalog) }
    }

    /// How many skills it knows.
    pub fn len(&self) -> usize {
        self.postings.skill_count
    }

    /// Whether it knows no skill.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The `limit` skills that suit a query best, the best first; equal scores by position. A blank
    /// query gives the first ones.
    pub fn top(&self, query: &str, limit: usize) -> Vec<Hit> {
        let limit = limit.min(self.len());
        if limit == 0 {
            return Vec::new();
        }
        if query.trim().is_empty() {
            return first(limit);
        }
        let frequency = |term| self.postings.range(term).len();
        let wanted = wanted(&self.dictionary, frequency, query);
        let mut lists: Vec<_> = wanted.into_iter().map(|wanted| self.list(wanted)).collect();
        let best = best(&mut lists, self.len(), limit, |list, end, scores| {
            Ok::<_, Infallible>(list.add_until(end, scores))
        });
        best.unwrap_or_else(|never| match never {})
    }

    fn list(&self, wanted: Wanted) -> List<'_> {
        let range = self.postings.range(wanted.term);
        let weights = &self.postings.weights[range.clone()];
        let only = if let [only] = weights { Some(*only) } else { None };
        let factor = factor(wanted, range.len(), self.len(), only);
        List { skills: &self.postings.skills[range], weights, factor }
    }
}

/// Returns what the weights of a term are multiplied with that `having` of `all` skills have.
/// `only` is its weight in the only skill that has it.
pub(crate) fn factor(wanted: Wanted, having: usize, all: usize, only: Option<u16>) -> f32 {
    let is_asked = wanted.share >= 1.0;
    let telling = match only {
        Some(only) if is_asked && all >= MANY => telling(only),
        _ => 1.0,
    };
    wanted.share * telling * rarity(having, all) / f32::from(u16::MAX)
}

/// Returns by how much more a word counts that only one skill of many has, given its weight there:
/// a long description lowers it little, because a product's name says what is meant however often
/// common words occur elsewhere.
fn telling(weight: u16) -> f32 {
    let weight = f32::from(weight.max(1)) / f32::from(u16::MAX);
    UNIQUE * (LEAST_UNIQUE / weight).max(1.0)
}

/// Returns the inverse document frequency of a term: the fewer skills have it, the higher. Never 0.
#[expect(clippy::cast_precision_loss, reason = "a ratio need not be exact")]
fn rarity(having: usize, all: usize) -> f32 {
    let having = having as f32;
    let all = all as f32;
    (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
}

/// The rest of one term's list.
struct List<'i> {
    skills: &'i [u32],
    weights: &'i [u16],
    factor: f32,
}

/// Adds up the lists window by window and keeps the best. `add` adds the scores of a list's skills
/// before an end, and returns false if there are none.
pub(crate) fn best<L, E>(
    lists: &mut [L],
    skill_count: usize,
    limit: usize,
    add: impl Fn(&mut L, usize, &mut [f32; WINDOW]) -> Result<bool, E>,
) -> Result<Vec<Hit>, E> {
    let mut top = Top::new(limit);
    let mut scores = [0.0; WINDOW];
    for start in (0..skill_count).step_by(WINDOW) {
        let end = (start + WINDOW).min(skill_count);
        let mut is_touched = false;
        for list in &mut *lists {
            is_touched |= add(list, end, &mut scores)?;
        }
        if is_touched {
            // Scores after the end are 0 and never pass the bar.
            keep_best(&mut top, start, &mut scores[..(end - start).next_multiple_of(LANES)]);
        }
    }
    Ok(top.finish())
}

impl List<'_> {
    /// Adds the scores of the list's skills before `end`; returns false if there are none.
    fn add_until(&mut self, end: usize, scores: &mut [f32; WINDOW]) -> bool {
        // No skill is there twice, so a window's worth is all that there can be before the end.
        let near = &self.skills[..self.skills.len().min(WINDOW)];
        let count = near.partition_point(|&skill| (skill as usize) < end);
        let (skills, later_skills) = self.skills.split_at(count);
        let (weights, later_weights) = self.weights.split_at(count);
        for (&skill, &weight) in skills.iter().zip(weights) {
            scores[skill as usize % WINDOW] += self.factor * f32::from(weight);
        }
        (self.skills, self.weights) = (later_skills, later_weights);
        count > 0
    }
}

/// Pushes the scores that pass the bar to `top`, and resets all scores to zero.
fn keep_best(top: &mut Top, start: usize, scores: &mut [f32]) {
    let mut bar = top.bar();
    for (group, lanes) in scores.chunks_exact_mut(LANES).enumerate() {
        let highest = lanes.iter().fold(0.0, |highest: f32, &score| highest.max(score));
        if highest > bar {
            for (lane, &score) in lanes.iter().enumerate() {
                if score > bar {
                    top.push(Hit { position: start + group * LANES + lane, score });
                    bar = top.bar();
                }
            }
        }
        lanes.fill(0.0);
    }
}
