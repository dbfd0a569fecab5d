//! The lists of skills per term.

use std::ops::Range;

/// The skills that have each term, in flat arrays that are read in order, without pointers.
#[derive(Debug)]
pub(crate) struct Postings {
    pub(crate) skill_count: usize,
    /// Where each term's list begins, and the end of the last. While the lists are filled: where
    /// the next entry of each goes.
    starts: Box<[u32]>,
    /// The positions of skills, growing inside each list.
    pub(crate) skills: Box<[u32]>,
    /// The weight of the term for that skill, as a share of [`u16::MAX`].
    pub(crate) weights: Box<[u16]>,
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

    /// Adds a skill to a term's list. Skills come in the order of their positions, and `weight` is
    /// a share of 1.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of 1 fits"
    )]
    pub(crate) fn push(&mut self, term: usize, skill: u32, weight: f32) {
        let next = &mut self.starts[term + 1];
        self.skills[*next as usize] = skill;
        // A term that occurs has a weight above zero.
        self.weights[*next as usize] = ((weight * f32::from(u16::MAX)) as u16).max(1);
        *next += 1;
    }

    /// The entries of a term, in `skills` and `weights`.
    pub(crate) fn range(&self, term: usize) -> Range<usize> {
        self.starts[term] as usize..self.starts[term + 1] as usize
    }
}
