//! The index of one catalog, and how a query is answered from it.

use std::ops::Range;
use std::sync::Arc;

use prowess_core::{Catalog, Ranked};

use crate::dictionary::Dictionary;
use crate::query::{Wanted, wanted};
use crate::top::Top;

/// How many skills are scored at a time: few enough that their scores stay in the nearest cache.
const WINDOW: usize = 4_096;
/// How many scores are compared with the bar at once.
const LANES: usize = 16;

/// What can be found in one catalog, and where. A value: it never changes, and equal catalogs give
/// equal indexes.
#[derive(Debug)]
pub struct SearchIndex {
    dictionary: Dictionary,
    postings: Postings,
}

/// A skill that suits a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Its place among the catalog's skills.
    pub position: usize,
    /// How well it suits.
    pub score: f32,
}

/// For each term the skills that have it, in flat arrays: nothing is followed, everything is read in
/// order.
#[derive(Debug)]
pub(crate) struct Postings {
    skill_count: usize,
    /// Where each term's list begins, and the end of the last. While the lists are filled: where the
    /// next entry of each goes.
    starts: Box<[u32]>,
    /// The positions of skills, growing inside each list.
    skills: Box<[u32]>,
    /// What the term counts for that skill, as a share of [`u16::MAX`].
    weights: Box<[u16]>,
}

impl SearchIndex {
    /// The index of a catalog's visible skills. It takes a few microseconds a skill.
    pub fn build(catalog: &Catalog) -> Self {
        crate::build::build(catalog)
    }

    pub(crate) fn new(dictionary: Dictionary, postings: Postings) -> Self {
        Self { dictionary, postings }
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
        let mut lists: Vec<_> =
            wanted(self, query).into_iter().map(|wanted| self.list(wanted)).collect();
        best(&mut lists, self.len(), limit)
    }

    pub(crate) fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    /// How many skills have a term.
    pub(crate) fn frequency(&self, term: usize) -> usize {
        self.postings.range(term).len()
    }

    fn list(&self, wanted: Wanted) -> List<'_> {
        let range = self.postings.range(wanted.term);
        let rarity = rarity(range.len(), self.len());
        List {
            skills: &self.postings.skills[range.clone()],
            weights: &self.postings.weights[range],
            factor: wanted.share * rarity / f32::from(u16::MAX),
        }
    }
}

impl Postings {
    /// Lists of these lengths over so many skills, to be filled.
    pub(crate) fn new(skill_count: usize, lengths: impl Iterator<Item = u32>) -> Self {
        let mut starts = vec![0];
        let mut end: u32 = 0;
        for length in lengths {
            // Filling a list moves this on to its end, which is where the next one begins.
            starts.push(end);
            end = end.checked_add(length).expect("a catalog's texts are below 4 GiB");
        }
        let total = end as usize;
        Self {
            skill_count,
            starts: starts.into(),
            skills: vec![0; total].into(),
            weights: vec![0; total].into(),
        }
    }

    /// Adds a skill to a term's list. Skills come in the order of their positions, and `weight` is a
    /// share of 1.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of 1 fits"
    )]
    pub(crate) fn push(&mut self, term: usize, skill: u32, weight: f32) {
        let next = &mut self.starts[term + 1];
        self.skills[*next as usize] = skill;
        // What is there counts, however little.
        self.weights[*next as usize] = ((weight * f32::from(u16::MAX)) as u16).max(1);
        *next += 1;
    }

    fn range(&self, term: usize) -> Range<usize> {
        self.starts[term] as usize..self.starts[term + 1] as usize
    }
}

/// What a blank query finds: the first so many skills.
pub(crate) fn first(limit: usize) -> Vec<Hit> {
    (0..limit).map(|position| Hit { position, score: 0.0 }).collect()
}

/// Hits as skills of the catalog that they are of.
pub(crate) fn ranked(catalog: &Arc<Catalog>, hits: Vec<Hit>) -> Vec<Ranked<'_>> {
    let ranked =
        |Hit { position, score }| catalog.skill_at(position).map(|record| Ranked { record, score });
    hits.into_iter().filter_map(ranked).collect()
}

/// How much a term tells that so many of all skills have: the fewer, the more. Never 0.
#[expect(clippy::cast_precision_loss, reason = "a ratio need not be exact")]
fn rarity(having: usize, all: usize) -> f32 {
    let (having, all) = (having as f32, all as f32);
    (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
}

/// What is left of one term's list.
struct List<'i> {
    skills: &'i [u32],
    weights: &'i [u16],
    factor: f32,
}

/// Adds up the lists window by window and keeps the best.
fn best(lists: &mut [List<'_>], skill_count: usize, limit: usize) -> Vec<Hit> {
    let mut top = Top::new(limit);
    let mut scores = [0.0; WINDOW];
    for start in (0..skill_count).step_by(WINDOW) {
        let end = (start + WINDOW).min(skill_count);
        let mut is_touched = false;
        for list in &mut *lists {
            is_touched |= list.add_until(end, &mut scores);
        }
        if is_touched {
            // What lies behind the end is 0 and never passes the bar.
            keep_best(&mut top, start, &mut scores[..(end - start).next_multiple_of(LANES)]);
        }
    }
    top.finish()
}

impl List<'_> {
    /// Adds what the list says of the skills before `end`; false if it says nothing.
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

/// Shows the scores that pass the bar to `top`, and leaves zeros.
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
