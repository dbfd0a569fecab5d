//! The entries of a set, in blocks that sets share.

use std::ops::{Index, Range};
use std::sync::Arc;

use super::Entry;
use super::texts::Slice;
use crate::Conditions;

/// The number of entries in a block. A block that is written costs a copy and a comparison with the
/// earlier one; a shared block costs two reference counts.
const BLOCK: usize = 128;

/// Entries in blocks of equal length, the last of which may be shorter. Two sets that differ in one
/// entry share all blocks but one, so that neither building the second nor comparing the two visits
/// every entry.
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

/// Values that few entries have, by their index in the block. Other entries need no space for them.
#[derive(Debug, Default)]
struct Notes {
    conditions: Vec<(usize, Arc<Conditions>)>,
    versions: Vec<(usize, Slice)>,
}

impl Entries {
    pub(super) fn len(&self) -> usize {
        self.length
    }

    pub(super) fn conditions(&self, index: usize) -> Option<&Arc<Conditions>> {
        note(&self.blocks[index / BLOCK].notes.conditions, index % BLOCK)
    }

    pub(super) fn version(&self, index: usize) -> Option<Slice> {
        note(&self.blocks[index / BLOCK].notes.versions, index % BLOCK).copied()
    }

    /// Iterates over the entries with conditions, in their order.
    pub(super) fn conditioned(&self) -> impl Iterator<Item = (usize, &Arc<Conditions>)> {
        (0..).step_by(BLOCK).zip(&self.blocks).flat_map(|(start, block)| {
            let said = block.notes.conditions.iter();
            said.map(move |(index, conditions)| (start + index, conditions))
        })
    }

    /// Iterates over the indices of entries that differ from those of another set of the same
    /// length.
    pub(super) fn differing(&self, other: &Self) -> impl Iterator<Item = usize> {
        let blocks = (0..).step_by(BLOCK).zip(self.blocks.iter().zip(&other.blocks));
        let differing =
            blocks.filter(|(_, (one, other))| !Arc::ptr_eq(&one.entries, &other.entries));
        differing.flat_map(|(start, (one, other))| {
            let entries = (start..).zip(one.entries.iter().zip(other.entries.iter()));
            entries.filter(|(_, (one, other))| one != other).map(|(index, _)| index)
        })
    }
}

impl Index<usize> for Entries {
    type Output = Entry;

    fn index(&self, index: usize) -> &Entry {
        &self.blocks[index / BLOCK].entries[index % BLOCK]
    }
}

fn note<T>(notes: &[(usize, T)], index: usize) -> Option<&T> {
    let place = notes.binary_search_by_key(&index, |(of, _)| *of).ok()?;
    Some(&notes[place].1)
}

/// Copies the notes on a part of a block to `to`, where that part starts at `start`.
fn copy_notes<T: Clone>(
    notes: &[(usize, T)],
    part: &Range<usize>,
    to: &mut Vec<(usize, T)>,
    start: usize,
) {
    let place = |index| notes.partition_point(|(of, _)| *of < index);
    let copied = notes[place(part.start)..place(part.end)].iter();
    to.extend(copied.map(|(index, note)| (index - part.start + start, note.clone())));
}

/// Builds [`Entries`] one after the other.
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
        let index = self.last.len();
        self.notes.conditions.extend(conditions.map(|said| (index, said)));
        self.notes.versions.extend(version.map(|slice| (index, slice)));
        self.last.push(entry);
        self.end_whole_block();
    }

    fn end_whole_block(&mut self) {
        if self.last.len() == BLOCK {
            self.end_block();
        }
    }

    /// Copies a range of another set; blocks that keep their position are shared.
    pub(super) fn keep(&mut self, earlier: &Entries, run: Range<usize>) {
        let mut start = run.start;
        while start < run.end {
            let block = &earlier.blocks[start / BLOCK];
            let inside = start % BLOCK;
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

    /// Copies a part of a block. The caller ensures that it fits.
    fn copy(&mut self, block: &Block, part: Range<usize>) {
        let index = self.last.len();
        copy_notes(&block.notes.conditions, &part, &mut self.notes.conditions, index);
        copy_notes(&block.notes.versions, &part, &mut self.notes.versions, index);
        self.last.reserve_exact(BLOCK - index);
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
