//! The best few of many, in bounded memory.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::hit::Hit;

/// Keeps the best hits of those pushed in the order of their positions.
pub(crate) struct Top {
    limit: usize,
    /// The worst of the kept ones is on top.
    kept: BinaryHeap<Worst>,
}

struct Worst(Hit);

impl Top {
    /// Keeps `limit` hits, at least one.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, kept: BinaryHeap::with_capacity(limit) }
    }

    /// Returns the score that a later hit must exceed. Of equal scores the earlier position wins.
    pub(crate) fn bar(&self) -> f32 {
        match self.kept.peek() {
            Some(worst) if self.kept.len() == self.limit => worst.0.score,
            _ => 0.0,
        }
    }

    /// Adds a hit whose score exceeds the bar.
    pub(crate) fn push(&mut self, hit: Hit) {
        if self.kept.len() == self.limit {
            self.kept.pop();
        }
        self.kept.push(Worst(hit));
    }

    /// Returns the kept hits, the best first.
    pub(crate) fn finish(self) -> Vec<Hit> {
        self.kept.into_sorted_vec().into_iter().map(|worst| worst.0).collect()
    }
}

impl Ord for Worst {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.score.total_cmp(&self.0.score).then(self.0.position.cmp(&other.0.position))
    }
}

impl PartialOrd for Worst {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Worst {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Worst {}
