//! The entries of a set, and those that it shares with the sets before it.

use std::ops::{Index, Range};
use std::sync::Arc;

use super::Entry;

/// How many entries are shared or written together.
const BLOCK: usize = 256;

/// Entries in blocks of one length, the last of which may be shorter. Two sets that differ in one entry
/// share all blocks but one, so that neither making the second nor comparing the two costs a look at all.
#[derive(Clone, Debug, Default)]
pub(super) struct Entries {
    blocks: Box<[Arc<[Entry]>]>,
    length: usize,
}

impl Entries {
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// The places of those entries that differ from what another set, which is as long, has there.
    pub(super) fn differing(&self, other: &Self) -> impl Iterator<Item = usize> {
        let blocks = (0..).step_by(BLOCK).zip(self.blocks.iter().zip(&other.blocks));
        let differing = blocks.filter(|(_, (one, other))| !Arc::ptr_eq(one, other));
        differing.flat_map(|(start, (one, other))| {
            let entries = (start..).zip(one.iter().zip(other.iter()));
            entries.filter(|(_, (one, other))| one != other).map(|(at, _)| at)
        })
    }
}

impl Index<usize> for Entries {
    type Output = Entry;

    fn index(&self, at: usize) -> &Entry {
        &self.blocks[at / BLOCK][at % BLOCK]
    }
}

/// Puts entries together, one behind the other.
#[derive(Debug, Default)]
pub(super) struct EntriesBuilder {
    blocks: Vec<Arc<[Entry]>>,
    last: Vec<Entry>,
}

impl EntriesBuilder {
    pub(super) fn len(&self) -> usize {
        self.blocks.len() * BLOCK + self.last.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn push(&mut self, entry: Entry) {
        self.last.push(entry);
        if self.last.len() == BLOCK {
            self.blocks.push(self.last.as_slice().into());
            self.last.clear();
        }
    }

    /// Takes over a run of another set; blocks that keep their place are shared.
    pub(super) fn keep(&mut self, earlier: &Entries, run: Range<usize>) {
        let mut start = run.start;
        while start < run.end {
            let block = &earlier.blocks[start / BLOCK];
            let end = run.end.min(start - start % BLOCK + block.len());
            if self.last.is_empty() && end - start == BLOCK {
                self.blocks.push(Arc::clone(block));
            } else {
                (start..end).for_each(|at| self.push(earlier[at]));
            }
            start = end;
        }
    }

    pub(super) fn finish(mut self) -> Entries {
        let length = self.len();
        if !self.last.is_empty() {
            self.blocks.push(self.last.into());
        }
        Entries { blocks: self.blocks.into(), length }
    }
}
