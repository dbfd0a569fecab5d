//! The entries of a set, and those that it shares with the sets before it.

use std::ops::{Index, Range};
use std::sync::Arc;

use super::Entry;
use super::texts::Slice;
use crate::Conditions;

/// How many entries are shared or written together: a written one costs a copy of its block and a comparison
/// with the one before, a shared block two reference counts.
const BLOCK: usize = 128;

/// Entries in blocks of one length, the last of which may be shorter. Two sets that differ in one entry
/// share all blocks but one, so that neither making the second nor comparing the two costs a look at all.
#[derive(Clone, Debug, Default)]
pub(super) struct Entries {
    blocks: Box<[Block]>,
    length: usize,
}

#[derive(Clone, Debug)]
struct Block {
    entries: Arc<[Entry]>,
    notes: Arc<Notes>,
}

/// What few entries have, by their places in the block. The others pay nothing for it.
#[derive(Debug, Default)]
struct Notes {
    conditions: Vec<(usize, Arc<Conditions>)>,
    versions: Vec<(usize, Slice)>,
}

impl Entries {
    pub(super) fn len(&self) -> usize {
        self.length
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.blocks.iter().flat_map(|block| block.entries.iter())
    }

    pub(super) fn conditions(&self, at: usize) -> Option<&Arc<Conditions>> {
        note(&self.blocks[at / BLOCK].notes.conditions, at % BLOCK)
    }

    pub(super) fn version(&self, at: usize) -> Option<Slice> {
        note(&self.blocks[at / BLOCK].notes.versions, at % BLOCK).copied()
    }

    /// The entries with conditions, in their order.
    pub(super) fn conditioned(&self) -> impl Iterator<Item = (usize, &Arc<Conditions>)> {
        (0..).step_by(BLOCK).zip(&self.blocks).flat_map(|(start, block)| {
            let said = block.notes.conditions.iter();
            said.map(move |(at, conditions)| (start + at, conditions))
        })
    }

    /// The places of those entries that differ from what another set, which is as long, has there.
    pub(super) fn differing(&self, other: &Self) -> impl Iterator<Item = usize> {
        let blocks = (0..).step_by(BLOCK).zip(self.blocks.iter().zip(&other.blocks));
        let differing =
            blocks.filter(|(_, (one, other))| !Arc::ptr_eq(&one.entries, &other.entries));
        differing.flat_map(|(start, (one, other))| {
            let entries = (start..).zip(one.entries.iter().zip(other.entries.iter()));
            entries.filter(|(_, (one, other))| one != other).map(|(at, _)| at)
        })
    }
}

impl Index<usize> for Entries {
    type Output = Entry;

    fn index(&self, at: usize) -> &Entry {
        &self.blocks[at / BLOCK].entries[at % BLOCK]
    }
}

fn note<T>(notes: &[(usize, T)], at: usize) -> Option<&T> {
    let place = notes.binary_search_by_key(&at, |(of, _)| *of).ok()?;
    Some(&notes[place].1)
}

/// Adds the notes on a part of a block to those of another, where that part begins at `start`.
fn copy_notes<T: Clone>(
    notes: &[(usize, T)],
    part: &Range<usize>,
    to: &mut Vec<(usize, T)>,
    start: usize,
) {
    let place = |at| notes.partition_point(|(of, _)| *of < at);
    let copied = notes[place(part.start)..place(part.end)].iter();
    to.extend(copied.map(|(at, note)| (at - part.start + start, note.clone())));
}

/// Puts entries together, one behind the other.
#[derive(Debug, Default)]
pub(super) struct EntriesBuilder {
    blocks: Vec<Block>,
    last: Vec<Entry>,
    notes: Notes,
}

impl EntriesBuilder {
    pub(super) fn len(&self) -> usize {
        self.blocks.len() * BLOCK + self.last.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn push(
        &mut self,
        entry: Entry,
        conditions: Option<Arc<Conditions>>,
        version: Option<Slice>,
    ) {
        let at = self.last.len();
        self.notes.conditions.extend(conditions.map(|said| (at, said)));
        self.notes.versions.extend(version.map(|slice| (at, slice)));
        self.last.push(entry);
        self.end_whole_block();
    }

    fn end_whole_block(&mut self) {
        if self.last.len() == BLOCK {
            self.end_block();
        }
    }

    /// Takes over a run of another set; blocks that keep their place are shared.
    pub(super) fn keep(&mut self, earlier: &Entries, run: Range<usize>) {
        let mut start = run.start;
        while start < run.end {
            let (block, inside) = (&earlier.blocks[start / BLOCK], start % BLOCK);
            let room = BLOCK - inside.max(self.last.len());
            let count = room.min(run.end - start);
            if count == BLOCK {
                self.blocks.push(block.clone());
            } else {
                self.copy(block, inside..inside + count);
            }
            start += count;
        }
    }

    /// Takes over a part of a block, for which there is room.
    fn copy(&mut self, block: &Block, part: Range<usize>) {
        let at = self.last.len();
        copy_notes(&block.notes.conditions, &part, &mut self.notes.conditions, at);
        copy_notes(&block.notes.versions, &part, &mut self.notes.versions, at);
        self.last.reserve_exact(BLOCK - at);
        self.last.extend_from_slice(&block.entries[part]);
        self.end_whole_block();
    }

    pub(super) fn finish(mut self) -> Entries {
        let length = self.len();
        if !self.last.is_empty() {
            self.end_block();
        }
        Entries { blocks: self.blocks.into(), length }
    }

    fn end_block(&mut self) {
        let mut notes = std::mem::take(&mut self.notes);
        notes.conditions.shrink_to_fit();
        notes.versions.shrink_to_fit();
        self.blocks.push(Block { entries: self.last.as_slice().into(), notes: notes.into() });
        self.last.clear();
    }
}
